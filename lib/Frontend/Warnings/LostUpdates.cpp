//===- LostUpdates.cpp - Sums that lose terms -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `y[i] = y[i] + t` loses terms if several elements of `t`, or several programs
// of the grid, have the same `i`. This file finds such stores by backward
// slices. One leads from the stored sum to a load of the same elements, another
// one from their indices to loads and to axes of the grid.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "ProgramSlices.h"
#include "Warnings.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/OperationSupport.h"

using namespace tessera;
using namespace tessera::frontend;

/// Operations of a sum, of its terms, and of an index that are followed.
static constexpr unsigned kMaxDepth = 8;

/// Checks whether two values are computed in the same way.
static bool areEqual(Value one, Value other, unsigned depth = kMaxDepth) {
  if (one == other)
    return true;
  Operation *op = one.getDefiningOp(), *otherOp = other.getDefiningOp();
  return op && otherOp && depth > 0 && op->getNumRegions() == 0 &&
         OperationEquivalence::isEquivalentTo(
             op, otherOp,
             [&](Value left, Value right) {
               return success(areEqual(left, right, depth - 1));
             },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

/// Returns the operands to which a sum, or a conversion of one, adds others.
static SmallVector<Value, 2> getTerms(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return {op->getOperand(0), op->getOperand(1)};
  if (isa<arith::SubFOp, arith::SubIOp>(op) || isa<CastOpInterface>(op))
    return {op->getOperand(0)};
  if (isa<math::FmaOp>(op))
    return {op->getOperand(2)};
  return {};
}

/// Returns the load of the elements that `store` writes, if the stored value is
/// a sum of them; otherwise null. A load with `fill` states that the author
/// knows the indices.
static tile::LoadOp findUpdatedLoad(tile::StoreOp store) {
  SmallVector<std::pair<Value, unsigned>> open = {{store.getValue(), 0}};
  while (!open.empty()) {
    auto [value, depth] = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || depth > kMaxDepth)
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    // A copy of an element is no sum.
    if (load && depth > 0 && !load.getFillAttr() &&
        load.getGlobal() == store.getGlobal() &&
        load.getAxesAttr() == store.getAxesAttr() &&
        llvm::all_of(llvm::zip_equal(load.getIndices(), store.getIndices()),
                     [](auto pair) {
                       return areEqual(std::get<0>(pair), std::get<1>(pair));
                     }))
      return load;
    for (Value term : getTerms(op))
      open.push_back({term, depth + 1});
  }
  return nullptr;
}

/// Checks whether positions of a gather may be equal: they are loaded.
static bool mayRepeat(Value index) {
  return isa<RankedTensorType>(index.getType()) &&
         llvm::any_of(getSlice(index), [](Value value) {
           return isa_and_nonnull<tile::LoadOp>(value.getDefiningOp());
         });
}

/// Returns a relaxed atomic operation that may take a lock; null if there is
/// none. A kernel that acquires has no warning.
static tile::AtomicOp findRelaxedLock(tile::KernelOp kernel) {
  tile::AtomicOp lock;
  kernel.walk([&](tile::AtomicOp op) {
    bool takes = op.getKind() == tile::AtomicKind::Cas ||
                 op.getKind() == tile::AtomicKind::Exchange;
    if (!takes || op->use_empty())
      return WalkResult::advance();
    lock = op;
    return WalkResult::interrupt();
  });
  return lock;
}

static void warnOfUpdate(KernelContext &context, tile::StoreOp store) {
  if (!isa<RankedTensorType>(store.getValue().getType()) &&
      context.kernel.axes.empty())
    return;
  tile::LoadOp load = findUpdatedLoad(store);
  if (!load)
    return;
  bool isGather = llvm::any_of(store.getIndices(), mayRepeat);
  SmallVector<GridAxis> axes;
  if (!isGather)
    axes = getRepeatedAxes(context, store);
  if (!isGather && axes.empty())
    return;
  std::optional<InFlightDiagnostic> diagnostic = warnAt(context, store);
  if (!diagnostic)
    return;
  std::string name = getTensorName(context, store.getGlobal());
  if (isGather)
    *diagnostic << "this sum of elements of " << name
                << " loses terms where indices are equal [lost-update]";
  else
    *diagnostic << "programs along `" << axes.front().axis->name.text
                << "` add to the same elements of " << name
                << ", and terms are lost [lost-update]";
  diagnostic->attachNote(findPlace(load.getLoc()))
      << "use `atomic_add(…, t);` for the sum with `t`; if no "
      << (isGather ? "indices are equal" : "two programs do so")
      << ", write `load(…, fill = 0)` here";
  if (tile::AtomicOp lock =
          findRelaxedLock(store->getParentOfType<tile::KernelOp>()))
    diagnostic->attachNote(findPlace(lock.getLoc()))
        << "this atomic operation orders no stores; take a lock with `order = "
           "acquire`, and free it with `order = release`";
  noteCall(*diagnostic, store);
}

void tessera::frontend::warnOfLostUpdates(KernelContext &context,
                                          tile::KernelOp kernel) {
  if (!hasOrderedPrograms(kernel))
    kernel.walk([&](tile::StoreOp store) { warnOfUpdate(context, store); });
}
