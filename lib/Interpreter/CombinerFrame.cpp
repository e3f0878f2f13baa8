//===- CombinerFrame.cpp - Execution of a combiner --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/CombinerFrame.h"

using namespace tessera;
using namespace tessera::interp;

Tile CombinerFrame::getOwnPart(Type type, const Tile &whole) const {
  Tile part = makeOwn(type);
  part.fill(whole.getElement(0));
  return part;
}

FailureOr<CombinerFrame::Group> CombinerFrame::combine(const Group &left,
                                                       const Group &right) {
  Block &block = combiner.front();
  for (auto [argument, tile] : llvm::zip_equal(
           block.getArguments(), llvm::concat<const Tile>(left, right)))
    set(argument, tile);
  for (Operation &op : block.without_terminator())
    // Interpreter and simulator have checked that each operation is known.
    if (failed((*SemanticsTable::get().lookup(&op))(&op, *this)))
      return failure();
  Group result;
  for (Value value : block.getTerminator()->getOperands())
    result.push_back(getTile(value));
  return result;
}

LogicalResult
CombinerFrame::fold(int64_t extent, function_ref<Group(int64_t)> get,
                    function_ref<void(int64_t, const Group &)> visit) {
  Group total = get(0);
  visit(0, total);
  for (int64_t step = 1; step < extent; ++step) {
    FailureOr<Group> next = combine(total, get(step));
    if (failed(next))
      return failure();
    total = std::move(*next);
    visit(step, total);
  }
  return success();
}
