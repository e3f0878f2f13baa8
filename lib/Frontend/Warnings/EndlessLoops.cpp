//===- EndlessLoops.cpp - Conditions that never change ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `while` whose condition is loop-invariant: the condition is computed
// without effects from values of before the loop, and from `var`s that each
// iteration leaves as they are. The optimizer may remove such a loop, so it
// ends on some devices and not on others. The same holds for elements of
// tensors in a loop without stores: it waits for another program by loads that
// nothing orders.
//
// The parser makes the condition a branch of the body, which sets the `var`
// `runs` to false (Breaks.cpp). Another `break` sets it elsewhere, and there is
// no warning.
//
//===----------------------------------------------------------------------===//

#include "Warnings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::frontend;

/// Returns the value of a result of an `if` in one of its branches.
static Value getInBranch(OpResult result, Region &branch) {
  return branch.front().getTerminator()->getOperand(result.getResultNumber());
}

/// Checks whether a region has the definition of a value. Regions of loops have
/// no parent before their loop is created.
static bool contains(Region &region, Value value) {
  for (Region *scope = value.getParentRegion(); scope;
       scope = scope->getParentOp() ? scope->getParentRegion() : nullptr)
    if (scope == &region)
      return true;
  return false;
}

namespace {
/// Finds values that are `before`, possibly through branches and operations
/// that change nothing: `t * 1.0` and `i + 0`.
class Unchanged {
public:
  explicit Unchanged(Value before) : before(before) {}

  bool holds(Value value);

private:
  bool find(OpResult result);

  Value before;
  DenseMap<Value, bool> known;
};
} // namespace

bool Unchanged::holds(Value value) {
  if (value == before)
    return true;
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return false;
  if (known.try_emplace(value, false).second)
    known[value] = find(result);
  return known.at(value);
}

bool Unchanged::find(OpResult result) {
  Operation *op = result.getOwner();
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return holds(getInBranch(result, branch.getThenRegion())) &&
           holds(getInBranch(result, branch.getElseRegion()));
  if (op->getNumOperands() != 2)
    return false;
  auto keeps = [&](Value number) {
    if (isa<arith::MulFOp, arith::DivFOp>(op))
      return matchPattern(number, m_OneFloat());
    if (isa<arith::MulIOp, arith::FloorDivSIOp, arith::DivUIOp>(op))
      return matchPattern(number, m_One());
    return isa<arith::AddIOp, arith::SubIOp>(op) &&
           matchPattern(number, m_Zero());
  };
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  bool isCommutative = isa<arith::MulFOp, arith::MulIOp, arith::AddIOp>(op);
  return (keeps(rhs) && holds(lhs)) ||
         (isCommutative && keeps(lhs) && holds(rhs));
}

/// Returns the condition of the loop: the `if` that sets `runs` to false,
/// unless other statements also do. `last` is the value of `runs` after an
/// iteration.
static Value findCondition(Value runs, Value last) {
  auto whole = dyn_cast<OpResult>(last);
  auto outer = whole ? dyn_cast<scf::IfOp>(whole.getOwner()) : scf::IfOp();
  if (!outer || outer.getCondition() != runs)
    return Value();
  auto result = dyn_cast<OpResult>(getInBranch(whole, outer.getThenRegion()));
  auto branch = result ? dyn_cast<scf::IfOp>(result.getOwner()) : scf::IfOp();
  if (!branch || getInBranch(result, branch.getThenRegion()) != runs)
    return Value();
  return branch.getCondition();
}

namespace {
/// Finds loop-invariant values.
class Invariance {
public:
  Invariance(Block &body, ArrayRef<Value> yields)
      : body(body), yields(yields) {}

  bool holds(Value value);
  /// Whether a value that holds was loaded from a tensor that programs write.
  bool hasLoads() const { return loads; }

private:
  bool find(Value value);

  Block &body;
  ArrayRef<Value> yields;
  DenseMap<Value, bool> known;
  bool loads = false;
};
} // namespace

/// Checks whether operations of the body may change memory, or see changes of
/// other programs.
static bool accessesOnlyByLoads(Block &body) {
  WalkResult result = body.walk([](Operation *op) {
    bool isLoad = isa<tile::LoadOp>(op) || op->getNumRegions() != 0;
    return isLoad || isMemoryEffectFree(op) ? WalkResult::advance()
                                            : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool Invariance::holds(Value value) {
  if (!contains(*body.getParent(), value))
    return true;
  if (known.try_emplace(value, false).second)
    known[value] = find(value);
  return known.at(value);
}

bool Invariance::find(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // The first argument counts the iterations.
    unsigned number = argument.getArgNumber();
    return argument.getOwner() == &body && number != 0 &&
           Unchanged(argument).holds(yields[number - 1]);
  }
  Operation *op = value.getDefiningOp();
  if (!isMemoryEffectFree(op)) {
    if (!isa<tile::LoadOp>(op) || !accessesOnlyByLoads(body))
      return false;
    loads = true;
  }
  // A region, such as that of a reduction, may read values of the body.
  WalkResult result = op->walk([&](Operation *inner) {
    bool hold = llvm::all_of(inner->getOperands(), [&](Value operand) {
      return llvm::any_of(
                 op->getRegions(),
                 [&](Region &region) { return contains(region, operand); }) ||
             holds(operand);
    });
    return hold ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

void tessera::frontend::warnOfEndlessLoop(KernelContext &context,
                                          SourcePlace place, Block &body,
                                          ArrayRef<Value> yields,
                                          unsigned runs) {
  Value condition = findCondition(body.getArgument(runs + 1), yields[runs]);
  Invariance invariance(body, yields);
  if (!condition || !invariance.holds(condition))
    return;
  std::optional<InFlightDiagnostic> diagnostic = context.warn(place);
  if (!diagnostic)
    return;
  if (invariance.hasLoads()) {
    *diagnostic << "the loop waits for a store of another program, which its "
                   "loads may never see [endless-loop]";
    context.note(*diagnostic, place)
        << "wait by an atomic operation: `while atomic_or(x[…], 0, order = "
           "acquire) == 0 {}`, and release by one as well";
  } else {
    *diagnostic << "the condition of this `while` never changes, so the loop "
                   "never ends once it begins [endless-loop]";
    context.note(*diagnostic, place)
        << "give a `var` of the condition another value in the body; write "
           "`if` to execute the body once";
  }
  context.noteCalls(*diagnostic);
}
