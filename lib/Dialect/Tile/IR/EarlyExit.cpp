//===- EarlyExit.cpp - Loops whose last iterations do nothing ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches
//
//   scf.for … iter_args(…, %runs, …) {
//     %r:n = scf.if %runs { … } else { yield carried values, or false for %runs
//     } scf.yield carried values or results of the if
//   }
//
// with operations without effects around the `if`.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/EarlyExit.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera;

/// Returns what `yielded` is if the condition of `branch` is false; null if the
/// branch does not determine it.
static Value getIdleValue(Value yielded, scf::IfOp branch) {
  if (yielded.getDefiningOp() != branch)
    return yielded;
  return branch.elseYield().getOperand(
      cast<OpResult>(yielded).getResultNumber());
}

std::optional<unsigned> tile::findEarlyExit(scf::ForOp loop) {
  scf::IfOp branch;
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto found = dyn_cast<scf::IfOp>(op);
    auto condition =
        found ? dyn_cast<BlockArgument>(found.getCondition()) : BlockArgument();
    if (!branch && condition && condition.getOwner() == loop.getBody())
      branch = found;
    else if (!isMemoryEffectFree(&op))
      return std::nullopt;
  }
  if (!branch || branch.getNumResults() == 0 ||
      !llvm::all_of(*branch.elseBlock(),
                    [](Operation &op) { return isMemoryEffectFree(&op); }))
    return std::nullopt;
  unsigned runs = cast<BlockArgument>(branch.getCondition()).getArgNumber() - 1;
  for (auto [number, yielded] : llvm::enumerate(loop.getYieldedValues())) {
    Value idle = getIdleValue(yielded, branch);
    bool isKept = idle == loop.getRegionIterArg(number);
    if (!isKept && !(number == runs && matchPattern(idle, m_Zero())))
      return std::nullopt;
  }
  return runs;
}
