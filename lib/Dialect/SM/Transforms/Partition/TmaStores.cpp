//===- TmaStores.cpp - Accumulators leave by tensor copies ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-tma-stores: carries out what the plan says of stores.
//
//===----------------------------------------------------------------------===//

#include "Roles/TensorStore.h"
#include "Roles/TmaFetch.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {
#define GEN_PASS_DEF_TMASTORESPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Whether no element of the tile that `op` writes is clipped along `axes`.
template <typename OpTy>
static Value emitIsWhole(OpBuilder &builder, OpTy op, ArrayRef<int64_t> axes) {
  Location loc = op.getLoc();
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  auto emitIsAtMost = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, a, b);
  };
  Value isWhole;
  for (int64_t axis : axes) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value length =
        arith::ConstantIndexOp::create(builder, loc, tile.getDimSize(axis));
    Value start = op.getIndices()[op.getDims()[axis]];
    Value end = arith::AddIOp::create(builder, loc, start, length);
    for (Value holds :
         {emitIsAtMost(zero, start), emitIsAtMost(end, op.getLimits()[axis])})
      isWhole =
          isWhole
              ? arith::AndIOp::create(builder, loc, isWhole, holds).getResult()
              : holds;
  }
  return isWhole;
}

/// Replaces `op` by a copy through the buffers of `planned`; or by one that
/// still names it, if a role is to do it, without which one buffer would do. A
/// tile that ends before its tensor does is still stored by threads.
template <typename OpTy>
static void replaceByCopy(OpTy op, const TensorStore &store,
                          PlannedStoreAttr planned) {
  OpBuilder builder(op);
  DenseBoolArrayAttr inBounds = op.getInBoundsAttr();
  scf::IfOp branch;
  if (!store.clippedAxes.empty()) {
    SmallVector<bool> flags(op.getDims().size());
    for (size_t axis = 0; axis < flags.size(); ++axis)
      flags[axis] =
          op.isInBounds(axis) || llvm::is_contained(store.clippedAxes, axis);
    inBounds = builder.getDenseBoolArrayAttr(flags);
    branch = scf::IfOp::create(builder, op.getLoc(),
                               emitIsWhole(builder, op, store.clippedAxes),
                               /*withElseRegion=*/true);
    op->removeAttr(kPlanEntryAttrName);
    op->moveBefore(branch.elseBlock()->getTerminator());
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  auto copy = TmaStoreOp::create(
      builder, op.getLoc(), op.getValue(), op.getGlobal(), op.getIndices(),
      op.getLimits(), /*mask=*/Value(), op.getDimsAttr(), inBounds,
      builder.getI64IntegerAttr(store.columns),
      builder.getI64IntegerAttr(planned.getByRole() ? 1 : planned.getBuffers()),
      isa<AtomicOp>(op) ? builder.getUnitAttr() : UnitAttr());
  if (planned.getByRole())
    copy->setAttr(kPlanEntryAttrName, builder.getStringAttr(planned.getName()));
  if (!branch)
    op.erase();
}

namespace {
struct TmaStores : sm::impl::TmaStoresPassBase<TmaStores> {
  using TmaStoresPassBase::TmaStoresPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    PlanAttr plan = kernel.getPlanAttr();
    if (!plan || plan.getStores().empty())
      return;
    // Additions come after stores: an addition only adds, even to a tensor
    // whose other stores are copies already.
    SmallVector<Operation *> named;
    auto collect = [&](Operation *op) {
      if (!getPlanEntryName(op).empty())
        named.push_back(op);
    };
    kernel.walk([&](StoreOp op) { collect(op); });
    kernel.walk([&](AtomicOp op) { collect(op); });
    SmallVector<tile::SizeAttr> conditions;
    for (Operation *op : named)
      if (failed(convert(op, plan, conditions)))
        return signalPassFailure();
    addConditions(kernel, conditions);
    // Keep the stores by a role.
    auto left =
        llvm::filter_to_vector(plan.getStores(), [](PlannedStoreAttr store) {
          return store.getByRole();
        });
    if (plan.getRoles().empty())
      kernel.removePlanAttr();
    else
      kernel.setPlanAttr(PlanAttr::get(&getContext(), plan.getRoles(),
                                       plan.getRings(), left, plan.getRest()));
  }

  LogicalResult convert(Operation *op, PlanAttr plan,
                        SmallVectorImpl<tile::SizeAttr> &conditions) {
    OrReason<TensorStore> store = "it writes no accumulator";
    if (writesAccumulator(op))
      store = matchTensorStore(op);
    StringRef name = getPlanEntryName(op);
    PlannedStoreAttr planned = plan.findStore(name);
    if (store && planned.getByRole() && !store->clippedAxes.empty())
      store = "it may end before the tensor does, and another role has no "
              "registers of the tile";
    if (!store)
      return op->emitOpError()
             << "cannot leave by tensor copies, as store '" << name
             << "' of the plan says: " << store.getReason().str();
    llvm::append_range(conditions, store->conditions);
    if (auto plain = dyn_cast<StoreOp>(op))
      replaceByCopy(plain, *store, planned);
    else
      replaceByCopy(cast<AtomicOp>(op), *store, planned);
    ++numStores;
    return success();
  }
};
} // namespace
