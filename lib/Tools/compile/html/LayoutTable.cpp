//===- LayoutTable.cpp - Layouts of a module for drawing --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutTable.h"

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/IR/AttrTypeSubElements.h"

using namespace tessera;
using namespace tessera::tools;
using layout::Digit;
using layout::Layout;

void LayoutTable::add(const Layout &layout) {
  layouts.try_emplace(layout.str(), layout);
}

void LayoutTable::read(ModuleOp module) {
  AttrTypeWalker walker;
  walker.addWalk([&](sm::LayoutAttr attr) { add(attr.getLayout()); });
  module->walk([&](Operation *op) {
    for (NamedAttribute attr : op->getAttrs())
      walker.walk(attr.getValue());
    for (Type type : op->getResultTypes())
      walker.walk(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          walker.walk(type);
  });
}

static void writeNumbers(llvm::json::OStream &json, StringRef name,
                         ArrayRef<int64_t> numbers) {
  json.attributeArray(name, [&] {
    for (int64_t number : numbers)
      json.value(number);
  });
}

void LayoutTable::write(llvm::json::OStream &json) const {
  json.object([&] {
    for (const auto &[text, layout] : layouts)
      json.attributeObject(text, [&, &layout = layout] {
        writeNumbers(json, "shape", layout.getShape());
        json.attributeArray("axes", [&] {
          for (const layout::Axis &axis : layout.getAxes())
            json.array([&] {
              json.value(axis.name);
              json.value(axis.getSize());
            });
        });
        // Bits combine by exclusive or, and counts are added to the result.
        json.attributeArray("digits", [&] {
          for (const Digit &digit : layout.getDigits())
            if (digit.kind != Digit::Kind::Broadcast)
              json.object([&] {
                json.attribute("bit", digit.kind == Digit::Kind::Bit);
                json.attribute("axis", digit.axis);
                json.attribute("place", digit.place);
                json.attribute("count", digit.count);
                writeNumbers(json, "stride", digit.stride);
              });
        });
      });
  });
}
