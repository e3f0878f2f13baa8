//===- Partition.cpp - From one body to a role for each part ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-partition carries out the plan: roles, rings, and stores by
// roles.
//
// Method: program slicing. Every role except the one that multiplies is a clone
// of a slice of the kernel: its own operations, and the loops, conditions and
// scalars around them.
//
// Invariant: all roles use the slots of a ring in one order, however often
// loops run, and none waits for ever. Before a role needs a slot for the second
// time, the other role has passed the place where it released the slot.
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "RingUse.h"
#include "Roles/KernelScopeValues.h"
#include "Roles/PingPong.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/IR/SharedMemoryBudget.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PARTITIONPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
struct Partition : sm::impl::PartitionPassBase<Partition> {
  using PartitionPassBase::PartitionPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    PlanAttr plan = kernel.getPlanAttr();
    if (!plan)
      return;
    if (failed(checkRingsAreFilled(kernel)))
      return signalPassFailure();
    if (llvm::any_of(plan.getStores(), [](PlannedStoreAttr store) {
          return !store.getByRole();
        })) {
      kernel.emitError() << "expected no stores by buffers in the plan any "
                            "more; run 'sm-tma-stores' first";
      return signalPassFailure();
    }
    if (plan.getComputingRoles() > 1)
      if (Reason obstacle = getPingPongObstacle(kernel)) {
        kernel.emitError() << "cannot be computed by roles in turn, as its "
                              "plan says: "
                           << obstacle.str();
        return signalPassFailure();
      }
    KernelScopeValues beside(kernel);
    int64_t bytes = SharedMemoryBudget::ofPlan(kernel).getUsed();
    if (failed(partition(kernel, plan, beside)))
      return signalPassFailure();
    kernel->setAttr(kPlannedBytesAttrName,
                    Builder(&getContext()).getI64IntegerAttr(bytes));
    ++numPartitioned;
  }

  LogicalResult partition(KernelOp kernel, PlanAttr plan,
                          const KernelScopeValues &beside) {
    IsVisible isVisible = [&](Value value) {
      return isa<RingType>(value.getType()) || beside.contains(value);
    };
    FailureOr<RingPlan> arriving = makePlannedRings(kernel, isVisible);
    if (failed(arriving))
      return failure();
    SmallVector<Value> rings = makeRings(kernel, *arriving);
    llvm::StringMap<RoleOp> roles = makeRoles(kernel, plan);
    for (StringRef name : {"load", "fetch"})
      if (RoleOp role = roles.lookup(name))
        cloneLoading(role, *arriving, rings, isVisible);
    for (const FetchGroup &group : arriving->groups) {
      bool isFilledAgain =
          kernel.getPersistent() || arriving->rings[group.ring].isInLoop;
      useSlot(group, rings[group.ring], isFilledAgain);
    }
    if (failed(
            transformOperands(kernel, roles.lookup("transform"), isVisible)) ||
        failed(exchangeTiles(kernel)) ||
        failed(handOverStores(kernel, roles.lookup("store"), isVisible)))
      return failure();
    finish(kernel, roles, plan.getComputingRoles(), beside);
    SmallVector<tile::SizeAttr> conditions;
    for (const FetchGroup &group : arriving->groups)
      for (const RingFetch &fetch : group.fetches)
        llvm::append_range(conditions, fetch.conditions);
    addConditions(kernel, conditions);
    return success();
  }

  /// Makes the rings of what arrives.
  static SmallVector<Value> makeRings(KernelOp kernel, const RingPlan &plan) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    return llvm::map_to_vector(plan.rings, [&](const PlannedRing &ring) {
      return makeRing(builder, kernel.getLoc(), ring.slots, ring.tiles,
                      ring.isReleasedPerWarp);
    });
  }

  /// By name, roles that have nothing to do yet.
  static llvm::StringMap<RoleOp> makeRoles(KernelOp kernel, PlanAttr plan) {
    OpBuilder builder(kernel.getBody().front().getTerminator());
    llvm::StringMap<RoleOp> roles;
    for (PlannedRoleAttr wanted : plan.getRoles()) {
      auto role = RoleOp::create(
          builder, kernel.getLoc(), builder.getStringAttr(wanted.getName()),
          builder.getI64IntegerAttr(wanted.getWarps()),
          builder.getI64IntegerAttr(wanted.getRegisters()), UnitAttr());
      role.setElected(wanted.getElected());
      role.getBody().emplaceBlock();
      roles[wanted.getName()] = role;
    }
    return roles;
  }

  /// Moves all ops that no other role does into "math", or into several roles
  /// that compute in turn.
  static void finish(KernelOp kernel, const llvm::StringMap<RoleOp> &roles,
                     int64_t turns, const KernelScopeValues &beside) {
    dropPlan(kernel);
    RoleOp math = roles.lookup("math");
    Block &body = kernel.getBody().front(), &inMath = math.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (!isa<RingAllocOp, RoleOp>(op) && !beside.contains(&op))
        op.moveBefore(&inMath, inMath.end());
    if (roles.contains("transform"))
      eraseDeadTiles(math);
    if (turns > 1)
      computeInTurn(math, turns);
    int64_t warps = 0;
    for (RoleOp role : body.getOps<RoleOp>())
      warps += role.getWarps();
    kernel.setWarps(warps);
    kernel.setForm(Form::Scheduled);
  }
};
} // namespace
