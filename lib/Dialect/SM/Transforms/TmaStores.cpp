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

#include "TensorStore.h"
#include "TmaFetch.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

namespace tessera::sm {
#define GEN_PASS_DEF_TMASTORESPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Replaces `op` by a copy through the buffers of `planned`; or through its
/// ring, without which one buffer would do.
template <typename OpTy>
static void replaceByCopy(OpTy op, const TensorStore &store,
                          PlannedStoreAttr planned) {
  OpBuilder builder(op);
  bool isAdd = isa<AtomicAddOp>(op);
  TmaStoreOp::create(
      builder, op.getLoc(), op.getValue(), op.getGlobal(), op.getIndices(),
      op.getLimits(), /*mask=*/Value(), op.getDimsAttr(), op.getInBoundsAttr(),
      builder.getI64IntegerAttr(store.columns),
      builder.getI64IntegerAttr(planned.getByRole() ? 1 : planned.getBuffers()),
      isAdd ? builder.getUnitAttr() : UnitAttr(),
      planned.getByRole() ? planned : PlannedStoreAttr());
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
    // Additions after stores: one to a tensor of which the others are copies
    // already does no more than add.
    SmallVector<Operation *> named;
    auto collect = [&](Operation *op) {
      if (!getChannelName(op).empty())
        named.push_back(op);
    };
    kernel.walk([&](StoreOp op) { collect(op); });
    kernel.walk([&](AtomicAddOp op) { collect(op); });
    SmallVector<tile::SizeAttr> conditions;
    for (Operation *op : named)
      if (failed(convert(op, plan, conditions)))
        return signalPassFailure();
    addConditions(kernel, conditions);
    // What is left to do.
    auto left =
        llvm::filter_to_vector(plan.getStores(), [](PlannedStoreAttr store) {
          return store.getByRole();
        });
    if (plan.getRoles().empty())
      kernel.removePlanAttr();
    else
      kernel.setPlanAttr(PlanAttr::get(&getContext(), plan.getRoles(),
                                       plan.getChannels(), left,
                                       plan.getRest()));
  }

  LogicalResult convert(Operation *op, PlanAttr plan,
                        SmallVectorImpl<tile::SizeAttr> &conditions) {
    std::string why = "it writes no accumulator";
    FailureOr<TensorStore> store = writesAccumulator(op)
                                       ? matchTensorStore(op, why)
                                       : FailureOr<TensorStore>();
    StringRef name = getChannelName(op);
    if (failed(store))
      return op->emitOpError() << "cannot leave by tensor copies, as store '"
                               << name << "' of the plan says: " << why;
    conditions.push_back(store->condition);
    PlannedStoreAttr planned = plan.findStore(name);
    if (auto plain = dyn_cast<StoreOp>(op))
      replaceByCopy(plain, *store, planned);
    else
      replaceByCopy(cast<AtomicAddOp>(op), *store, planned);
    ++numStores;
    return success();
  }
};
} // namespace
