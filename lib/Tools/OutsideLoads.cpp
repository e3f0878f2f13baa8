//===- OutsideLoads.cpp - Visible loads outside of tensors ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel gets `fill`s, so that every device has these values. The masks of
// positions exist already: they are those of the kernel as written.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/OutsideLoads.h"

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/TypeUtilities.h"

using namespace tessera;

/// Returns a value that no result has by chance.
static TypedAttr getOutsideValue(Type element) {
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(type, APFloat::getNaN(type.getFloatSemantics()));
  return IntegerAttr::get(
      element, APInt::getSignedMinValue(element.getIntOrFloatBitWidth()));
}

void tools::fillOutsideLoads(ModuleOp module) {
  module.walk([](tile::LoadOp load) {
    if (!load.getFillAttr())
      load.setFillAttr(getOutsideValue(getElementTypeOrSelf(load.getType())));
  });
}
