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
//     }
//     scf.yield carried values or results of the if
//   }
//
// with operations without effects around the `if`. Its condition may be a
// conjunction with %runs, and a branch without effects may have become
// selections.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/EarlyExit.h"
#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tessera;

/// Checks whether `condition` is false while `runs` is.
static bool isIdleCondition(Value condition, Value runs) {
  if (condition == runs || matchPattern(condition, m_Zero()))
    return true;
  auto both = condition.getDefiningOp<arith::AndIOp>();
  return both && llvm::any_of(both->getOperands(), [&](Value operand) {
           return isIdleCondition(operand, runs);
         });
}

/// Returns what `value` is while `runs` is false.
static Value getIdleValue(Value value, Value runs) {
  if (auto branch = value.getDefiningOp<scf::IfOp>();
      branch && isIdleCondition(branch.getCondition(), runs))
    return branch.elseYield().getOperand(
        cast<OpResult>(value).getResultNumber());
  if (auto select = value.getDefiningOp<arith::SelectOp>();
      select && isIdleCondition(select.getCondition(), runs))
    return select.getFalseValue();
  return value;
}

/// Checks whether `op` has no effect while `runs` is false.
static bool isIdle(Operation &op, Value runs) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || !isIdleCondition(branch.getCondition(), runs))
    return isMemoryEffectFree(&op);
  return !branch.elseBlock() ||
         llvm::all_of(*branch.elseBlock(), [](Operation &inner) {
           return isMemoryEffectFree(&inner);
         });
}

std::optional<unsigned> tile::findEarlyExit(scf::ForOp loop) {
  for (BlockArgument runs : loop.getRegionIterArgs()) {
    if (!runs.getType().isInteger(1) || runs.use_empty())
      continue;
    auto isKept = [&](auto pair) {
      auto [argument, yielded] = pair;
      Value idle = getIdleValue(yielded, runs);
      return idle == argument ||
             (argument == runs && isIdleCondition(idle, runs));
    };
    if (llvm::all_of(
            llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()),
            isKept) &&
        llvm::all_of(loop.getBody()->without_terminator(),
                     [&](Operation &op) { return isIdle(op, runs); }))
      return runs.getArgNumber() - 1;
  }
  return std::nullopt;
}

bool tile::isUnbounded(scf::ForOp loop) {
  APInt bound;
  return matchPattern(loop.getUpperBound(), m_ConstantInt(&bound)) &&
         bound.getBitWidth() == 64 && bound.isMaxSignedValue();
}

bool tile::isEndlessIfRepeated(scf::ForOp loop) {
  if (!isUnbounded(loop) || !loop.getInductionVar().use_empty())
    return false;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(loop);
  if (!effects)
    return false;
  // Tensors that are read and not written; reports of `print` and `check` are
  // not read. A change of anything else may be a change by another program.
  DenseSet<Value> read, written;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    bool isRead = isa<MemoryEffects::Read>(effect.getEffect());
    if (Value tensor = effect.getValue())
      (isRead ? read : written).insert(tensor);
    else if (!isa<tile::Reports>(effect.getResource()))
      return false;
  }
  return llvm::none_of(read,
                       [&](Value tensor) { return written.contains(tensor); });
}
