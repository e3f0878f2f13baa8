//===- WarpSpecialize.cpp - Roles that load and compute ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-warp-specialize: carries out what the plan says of roles and
// channels. Both roles run the same loops: the load role
// the scalar slice of the kernel around the fetches, the math role everything.
// Each takes the slots of a ring at the places of the fetches, so both see them
// in one order, however often loops run. Neither waits for ever: before the
// load role needs a slot for the second time, the math role has passed the
// place where it gave it back.
//
//===----------------------------------------------------------------------===//

#include "BesideRoles.h"
#include "PingPong.h"
#include "PlannedRings.h"
#include "RingUse.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

namespace tessera::sm {
#define GEN_PASS_DEF_WARPSPECIALIZEPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
struct WarpSpecialize : sm::impl::WarpSpecializePassBase<WarpSpecialize> {
  using WarpSpecializePassBase::WarpSpecializePassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    PlanAttr plan = kernel.getPlanAttr();
    if (!plan)
      return;
    if (llvm::any_of(plan.getStores(), [](PlannedStoreAttr store) {
          return !store.getByRole();
        })) {
      kernel.emitError() << "expected no stores by buffers in the plan any "
                            "more; run 'sm-tma-stores' first";
      return signalPassFailure();
    }
    BesideRoles beside(kernel);
    IsGiven isBeside = [&](Value value) { return beside.contains(value); };
    std::string why;
    if (plan.getComputingRoles() > 1 && !canComputeInTurn(kernel, why)) {
      kernel.emitError() << "cannot be computed by roles in turn, as its plan "
                            "says: "
                         << why;
      return signalPassFailure();
    }
    int64_t bytes = getPlannedBytes(kernel).getSum();
    FailureOr<RingPlan> rings = makePlannedRings(kernel, isBeside);
    if (failed(rings))
      return signalPassFailure();
    specialize(kernel, *rings, isBeside, beside);
    kernel->setAttr(kPlannedBytesAttrName,
                    Builder(&getContext()).getI64IntegerAttr(bytes));
    ++numSpecialized;
  }

  void specialize(KernelOp kernel, RingPlan &plan, const IsGiven &isGiven,
                  const BesideRoles &beside) {
    Block &body = kernel.getBody().front();
    Location loc = kernel.getLoc();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    SmallVector<Value> rings;
    for (const PlannedRing &ring : plan.rings)
      rings.push_back(RingAllocOp::create(
          builder, loc, RingType::get(&getContext(), ring.stages, ring.tiles),
          ring.isGivenByWarps));

    PlanAttr planned = kernel.getPlanAttr();
    builder.setInsertionPoint(body.getTerminator());
    RoleOp math;
    for (PlannedRoleAttr wanted : planned.getRoles()) {
      math = RoleOp::create(
          builder, loc, builder.getStringAttr(wanted.getName()),
          builder.getI64IntegerAttr(wanted.getWarps()),
          builder.getI64IntegerAttr(wanted.getRegisters()), UnitAttr());
      math.setElected(wanted.getElected());
      math.getBody().emplaceBlock();
      // What goes to them, or comes from them, is handed over later.
      bool isEmpty =
          wanted.getName() == "store" || wanted.getName() == "prepare";
      if (wanted != planned.getMath() && !isEmpty)
        cloneFilling(math, plan, rings, isGiven);
    }

    Block &inMath = math.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (!isa<RingAllocOp, RoleOp>(op) && !beside.contains(&op))
        op.moveBefore(&inMath, inMath.end());
    for (const FetchGroup &group : plan.groups) {
      bool isFilledAgain =
          kernel.getPersistent() || plan.rings[group.ring].isInLoop;
      useSlot(group, rings[group.ring], isFilledAgain);
    }
    nameRings(math, planned);
    if (planned.getComputingRoles() > 1)
      computeInTurn(math, planned.getComputingRoles());

    int64_t warps = 0;
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      warps += role.getWarps();
    kernel.setWarps(warps);
    kernel.removePlanAttr();
    kernel.setForm(Form::Scheduled);
    SmallVector<tile::SizeAttr> conditions;
    for (const FetchGroup &group : plan.groups)
      for (const RingFetch &fetch : group.fetches)
        conditions.push_back(fetch.condition);
    addConditions(kernel, conditions);
  }

  /// Lets those who use the row of `op` read it from shared memory.
  static StageOp passThrough(Operation *op) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value row = op->getResult(0);
    auto stage = StageOp::create(
        builder, op->getLoc(),
        getStagedType(cast<RankedTensorType>(row.getType())), row,
        /*address=*/IntegerAttr(), /*ring=*/PlannedChannelAttr());
    auto read = ReadOp::create(builder, op->getLoc(), row.getType(), stage);
    row.replaceAllUsesExcept(read, stage);
    return stage;
  }

  /// Lets tiles of `sm.stage` say through which ring they are to go.
  static void nameRings(RoleOp math, PlanAttr plan) {
    math.walk([&](Operation *op) {
      PlannedChannelAttr ring = plan.findChannel(getChannelName(op));
      if (!ring || !namesChannel(op))
        return;
      op->removeAttr(kChannelAttrName);
      auto stage = dyn_cast<StageOp>(op);
      if (!stage)
        stage = passThrough(op);
      stage.setRingAttr(ring);
    });
  }

  /// Lets `role` fill the rings that are its own to fill.
  static void cloneFilling(RoleOp role, const RingPlan &plan,
                           ArrayRef<Value> rings, const IsGiven &isGiven) {
    ScalarSlice slice(isGiven);
    llvm::DenseMap<Operation *, const FetchGroup *> groupAt;
    for (const FetchGroup &group : plan.groups) {
      if (plan.rings[group.ring].isByThreads == role.getElected())
        continue;
      groupAt[group.getPlace()] = &group;
      std::string why;
      for (const RingFetch &fetch : group.fetches)
        if (failed(addFetch(slice, fetch, why)))
          llvm_unreachable("the slice was found when rings were planned");
    }
    IRMapping mapping;
    OpBuilder builder = OpBuilder::atBlockEnd(&role.getBody().front());
    Block &body = role->getParentOfType<KernelOp>().getBody().front();
    slice.clone(body, builder, mapping,
                [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                  if (const FetchGroup *group = groupAt.lookup(op))
                    fillSlot(at, *group, rings[group->ring], mapping);
                });
  }
};
} // namespace
