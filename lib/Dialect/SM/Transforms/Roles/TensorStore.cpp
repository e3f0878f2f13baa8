//===- TensorStore.cpp - Stores that tensor copies can do -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorStore.h"
#include "TmaFetch.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/RegisterTile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

/// Each warpgroup copies elements of its own, so rows must not repeat.
static bool isAccumulator(Operation *op, RankedTensorType tile) {
  int64_t perGroup = getTarget(op).warpsPerWarpgroup;
  int64_t warps = getWarps(op);
  if (tile.getRank() != 2 || warps % perGroup != 0 ||
      tile.getDimSize(0) % getTarget(op).wgmmaM != 0)
    return false;
  llvm::Expected<layout::Layout> accumulator = layout::getAccumulator(
      tile.getDimSize(0), tile.getDimSize(1), warps / perGroup);
  if (accumulator)
    return *accumulator == getLayout(tile);
  llvm::consumeError(accumulator.takeError());
  return false;
}

bool sm::writesAccumulator(Operation *op) {
  if (!isa<StoreOp, AtomicOp>(op))
    return false;
  auto tile = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return tile && isAccumulator(op, tile);
}

/// Checks whether `first` may run before `second` does, in one program.
static bool mayPrecede(Operation *first, Operation *second) {
  for (Operation *op = first->getParentOp(); !isa<KernelOp>(op);
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    bool runsOnce = isa<scf::IfOp>(op) || (loop && isOverPrograms(loop));
    if (!runsOnce && op->isProperAncestor(second))
      return true;
  }
  for (Operation *op = first; !isa<KernelOp>(op); op = op->getParentOp())
    if (Operation *other = op->getBlock()->findAncestorOpInBlock(*second))
      return op->isBeforeInBlock(other);
  return false;
}

/// Checks whether there may be a barrier between two stores to the tensor of
/// `op`, one of them `op`, perhaps in two iterations. A barrier orders stores
/// of threads: a copy goes on writing after it, and does not see the data that
/// it overwrites.
static bool isOrderedByBarrier(StoreOp op) {
  WalkResult walk =
      op->getParentOfType<KernelOp>().walk([&](BarrierOp barrier) {
        bool isAfter = mayPrecede(op, barrier);
        bool isBefore = mayPrecede(barrier, op);
        for (Operation *user : op.getGlobal().getUsers())
          if ((isAfter && mayPrecede(barrier, user)) ||
              (isBefore && mayPrecede(user, barrier)))
            return WalkResult::interrupt();
        return WalkResult::advance();
      });
  return walk.wasInterrupted();
}

/// Checks whether the kernel publishes what it writes to other programs. No
/// thread can wait for the writes of a copy.
static bool isReleased(Operation *op) {
  WalkResult walk = op->getParentOfType<KernelOp>().walk([](Operation *other) {
    auto atomic = dyn_cast<AtomicOp>(other);
    bool releases =
        (atomic && tile::releases(atomic.getOrder())) || isGridBarrier(other);
    return releases ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Why the copy might come too late for whoever else uses the tensor.
static Reason getOrderProblem(StoreOp op) {
  if (op.getGlobalType().getAccess() != tile::Access::Out)
    return "the kernel may read the tensor that it writes";
  if (isOrderedByBarrier(op))
    return "a barrier orders it and another store to the tensor";
  if (isReleased(op))
    return "the kernel releases it to other programs";
  return Reason::none();
}
static Reason getOrderProblem(AtomicOp op) {
  if (op.getKind() != tile::AtomicKind::Add || op.getOld())
    return "it does more than to add";
  auto onlyAdds = [](Operation *user) {
    auto atomic = dyn_cast<AtomicOp>(user);
    auto store = dyn_cast<TmaStoreOp>(user);
    return (atomic && atomic.getKind() == tile::AtomicKind::Add) ||
           (store && store.getAdd());
  };
  if (llvm::all_of(op.getGlobal().getUsers(), onlyAdds))
    return Reason::none();
  return "the kernel does more with the tensor than to add to it";
}

template <typename OpTy>
static OrReason<TensorStore> match(OpTy op) {
  auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
  tile::GlobalType global = op.getGlobalType();
  if (tile.getElementTypeBitWidth() != 16 && !tile.getElementType().isF32())
    return "its elements are neither f32 nor of 16 bits";
  std::optional<int64_t> columns =
      getStoreColumns(tile, getWarps(op) / getTarget(op).warpsPerWarpgroup);
  if (!columns)
    return "its rows are no multiple of 32 bytes";
  if (Reason problem = getOrderProblem(op))
    return problem;
  if (op.getMask() && !isBoundsCheck(op.getMask(), op.getIndices(), global))
    return "it is masked by more than the bounds of the tensor";
  if (op.getDims().back() != global.getRank() - 1)
    return "the last dimension of the tile is not that of the tensor";
  TensorStore result;
  result.columns = *columns;
  for (auto [axis, dim] : llvm::enumerate(op.getDims())) {
    if (isa<RankedTensorType>(op.getIndices()[dim].getType()))
      return "it scatters";
    if (mayEndEarly(op, axis))
      result.clippedAxes.push_back(axis);
  }
  OrReason<SmallVector<tile::SizeAttr>> conditions = getTmaConditions(op);
  if (!conditions)
    return conditions.getReason();
  result.conditions = *conditions;
  return result;
}

OrReason<TensorStore> sm::matchTensorStore(Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return match(store);
  return match(cast<AtomicOp>(op));
}

Reason sm::addHandedStore(RoleSlice &slice, Operation *store) {
  SmallVector<Value> positions =
      llvm::TypeSwitch<Operation *, SmallVector<Value>>(store)
          .Case<StoreOp, AtomicOp, TmaStoreOp>([](auto access) {
            SmallVector<Value> values(access.getIndices());
            llvm::append_range(values, access.getLimits());
            return values;
          });
  return slice.add(store, positions);
}
