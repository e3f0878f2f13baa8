//===- TmaStores.cpp - Accumulators leave by tensor copies ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// The pass sm-tma-stores, for sm.store and sm.atomic_add.
//
//===----------------------------------------------------------------------===//

#include "PingPong.h"
#include "RingPlan.h"
#include "RoleBudget.h"
#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Layout/RegisterTile.h"

namespace tessera::sm {
#define GEN_PASS_DEF_TMASTORESPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// One buffer is written while a copy reads the other one.
constexpr int64_t kBuffers = 2;

/// The widest chunk, in columns: rows of a whole swizzle span if possible.
/// Nothing if rows do not even have the narrowest one.
static std::optional<int64_t> getChunkColumns(RankedTensorType tile) {
  int64_t bytes = getElementBytes(tile.getElementType());
  for (int64_t span : {128, 64, 32})
    if (tile.getDimSize(1) % (span / bytes) == 0)
      return span / bytes;
  return std::nullopt;
}

/// Each warpgroup copies rows of its own, so rows must not repeat.
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

//===----------------------------------------------------------------------===//
// What a copy can do
//===----------------------------------------------------------------------===//

namespace {
struct TensorStore {
  int64_t columns = 0;
  /// Must be 0 at launch; null if there is nothing to check.
  tile::SizeAttr condition;
};
} // namespace

/// Whether `first` may run before `second` does, in one program.
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

/// Whether a barrier may stand between two stores to the tensor of `op`, one of
/// them `op`, perhaps in two iterations. A barrier orders what threads store:
/// a copy goes on writing after it, and does not see what it writes over.
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

/// Why the copy might come too late for whoever else uses the tensor.
static std::string getOrderProblem(StoreOp op) {
  if (op.getGlobalType().getAccess() != tile::Access::Out)
    return "the kernel may read the tensor that it writes";
  if (isOrderedByBarrier(op))
    return "a barrier orders it and another store to the tensor";
  return "";
}
static std::string getOrderProblem(AtomicAddOp op) {
  auto onlyAdds = [](Operation *user) {
    auto store = dyn_cast<TmaStoreOp>(user);
    return isa<AtomicAddOp>(user) || (store && store.getAdd());
  };
  if (llvm::all_of(op.getGlobal().getUsers(), onlyAdds))
    return "";
  return "the kernel does more with the tensor than to add to it";
}

/// What it takes to do `op` by a tensor copy, or why it stays as it is; no
/// reason for what is no accumulator at all.
template <typename OpTy>
static FailureOr<TensorStore> match(OpTy op, std::string &why) {
  auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
  tile::GlobalType global = op.getGlobalType();
  if (!tile || !isAccumulator(op, tile))
    return failure();
  auto refuse = [&](StringRef reason) {
    why = reason.str();
    return failure();
  };
  if (tile.getElementTypeBitWidth() != 16 && !tile.getElementType().isF32())
    return refuse("its elements are neither f32 nor of 16 bits");
  std::optional<int64_t> columns = getChunkColumns(tile);
  if (!columns)
    return refuse("its rows are no multiple of 32 bytes");
  if (std::string problem = getOrderProblem(op); !problem.empty())
    return refuse(problem);
  if (op.getMask() && !isBoundsCheck(op.getMask(), op.getIndices(), global))
    return refuse("it is masked by more than the bounds of the tensor");
  if (op.getDims().back() != global.getRank() - 1)
    return refuse("the last dimension of the tile is not that of the tensor");
  for (auto [axis, dim] : llvm::enumerate(op.getDims())) {
    if (isa<RankedTensorType>(op.getIndices()[dim].getType()))
      return refuse("it scatters");
    if (!op.isInBounds(axis) &&
        !isSize(op.getLimits()[axis], global.getShape()[dim]))
      return refuse("it ends before the tensor does");
  }
  FailureOr<tile::SizeAttr> condition =
      getTmaCondition(getTarget(op), global, why);
  if (failed(condition))
    return failure();
  return TensorStore{*columns, *condition};
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The stages of the rings that the kernel will have if `bytes` of shared
/// memory are taken; nothing if they do not fit. Without rings, one zero.
static std::optional<SmallVector<int64_t>> getStages(KernelOp kernel,
                                                     int64_t bytes) {
  SmallVector<RingFetch> fetches;
  llvm::DenseSet<Operation *> inRings;
  std::string why;
  kernel.walk<WalkOrder::PreOrder>([&](FetchOp op) {
    FailureOr<RingFetch> fetch = matchTmaFetch(op, why);
    if (failed(fetch) || !findLastUse(op, why))
      return;
    fetches.push_back(*fetch);
    inRings.insert(op);
  });
  RingPlan plan = planRings(fetches);
  int64_t available =
      getRingBytes(kernel, [&](FetchOp op) { return inRings.contains(op); }) -
      bytes;
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (available < 0 ||
      failed(chooseStages(plan, schedule ? schedule.getStages() : 0, available,
                          kernel.getPersistent())))
    return std::nullopt;
  return llvm::map_to_vector(
      plan.rings, [](const PlannedRing &ring) { return ring.stages; });
}

/// How many buffers `op` gets; 0 if it had better stay. Pairs of 16 bits,
/// 4 bytes by 4 bytes, are slow enough to be worth a stage of a ring; others
/// are not. Where roles compute in turn, one of them multiplies while a store
/// waits for its only buffer, so the second one is not worth a stage.
template <typename OpTy>
static int64_t chooseBuffers(OpTy op, const TensorStore &store) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  int64_t most = std::min(kBuffers, tile.getDimSize(1) / store.columns);
  int64_t elementBytes = getElementBytes(tile.getElementType());
  const GpuTarget &target = getTarget(op);
  auto kernel = op->template getParentOfType<KernelOp>();
  int64_t bytes = target.wgmmaM * store.columns * elementBytes *
                  (getWarps(op) / target.warpsPerWarpgroup) *
                  countComputingRoles(kernel);
  if (isa<StoreOp>(op) && elementBytes == 2) {
    bool isSpared = countComputingRoles(kernel) > 1 &&
                    getStages(kernel, bytes) != getStages(kernel, most * bytes);
    return isSpared ? 1 : most;
  }
  auto stages = getStages(kernel, 0);
  for (int64_t buffers = most; stages && buffers > 0; --buffers)
    if (getStages(kernel, buffers * bytes) == stages)
      return buffers;
  return 0;
}

namespace {
struct TmaStores : sm::impl::TmaStoresPassBase<TmaStores> {
  using TmaStoresPassBase::TmaStoresPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Planned)
      return;
    SmallVector<tile::SizeAttr> conditions;
    kernel.walk([&](StoreOp op) { convert(op, conditions); });
    kernel.walk([&](AtomicAddOp op) { convert(op, conditions); });
    addConditions(kernel, conditions);
  }

  template <typename OpTy>
  void convert(OpTy op, SmallVectorImpl<tile::SizeAttr> &conditions) {
    std::string why;
    FailureOr<TensorStore> store = match(op, why);
    int64_t buffers = succeeded(store) ? chooseBuffers(op, *store) : 0;
    if (succeeded(store) && buffers == 0)
      why = "its buffers would take shared memory from the stages of rings";
    if (buffers == 0) {
      if (remarks && !why.empty())
        op.emitRemark() << "this store is no tensor copy: " << why
                        << " [store-by-threads]";
      return;
    }
    conditions.push_back(store->condition);
    OpBuilder builder(op);
    bool isAdd = isa<AtomicAddOp>(op);
    TmaStoreOp::create(builder, op.getLoc(), op.getValue(), op.getGlobal(),
                       op.getIndices(), op.getLimits(), /*mask=*/Value(),
                       op.getDimsAttr(), op.getInBoundsAttr(),
                       builder.getI64IntegerAttr(store->columns),
                       builder.getI64IntegerAttr(buffers),
                       isAdd ? builder.getUnitAttr() : UnitAttr());
    op.erase();
    ++numStores;
  }
};
} // namespace
