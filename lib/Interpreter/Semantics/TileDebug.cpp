//===- TileDebug.cpp - Checks and prints ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A check that fails is a defect, which ends the launch.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/ValueText.h"
#include "tessera/Interpreter/Semantics.h"

using namespace tessera;
using namespace tessera::interp;
using namespace tessera::tile;

static LogicalResult runCheck(CheckOp op, ProgramFrame &frame) {
  const Tile &condition = frame.getTile(op.getCondition());
  ArrayRef<int64_t> elements = condition.integers();
  const int64_t *first = llvm::find(elements, 0);
  if (first == elements.end())
    return success();
  std::string where;
  if (condition.getRank())
    where = " at element " + array::formatPosition(condition.getShape(),
                                                   first - elements.begin());
  return frame.report(op, "check failed" + where + ": " + op.getMessage());
}

static LogicalResult runPrint(PrintOp op, ProgramFrame &frame) {
  std::string text = op.getText().str();
  llvm::raw_string_ostream os(text);
  for (auto [number, value] : llvm::enumerate(op.getValues())) {
    const Tile &tile = frame.getTile(value);
    bool isUnsigned = op.getIsUnsigned()[number];
    os << " ";
    array::printElements(os, tile.getShape(), [&](int64_t i) {
      if (tile.isFloat())
        os << array::formatFloat(tile.getFloat(i),
                                 tile.getType() == ElementType::F64);
      else if (tile.getType() == ElementType::I1)
        os << (tile.integers()[i] ? "true" : "false");
      else if (isUnsigned)
        os << asUnsigned(tile.getType(), tile.integers()[i]);
      else
        os << tile.integers()[i];
    });
  }
  frame.print(op, text);
  return success();
}

bool interp::hasReports(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<CheckOp, PrintOp>(inner) ? WalkResult::interrupt()
                                            : WalkResult::advance();
      })
      .wasInterrupted();
}

void interp::addTileDebugSemantics(SemanticsTable &table) {
  table.add<CheckOp>(runCheck);
  table.add<PrintOp>(runPrint);
}
