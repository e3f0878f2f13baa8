//===- WarpSpecialize.cpp - Roles that load and compute ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-warp-specialize. Both roles run the same loops: the load role
// the scalar slice of the kernel around the fetches, the math role everything.
// Each takes the slots of a ring at the places of the fetches, so both see them
// in one order, however often loops run. Neither waits for ever: before the
// load role needs a slot for the second time, the math role has passed the
// place where it gave it back.
//
//===----------------------------------------------------------------------===//

#include "GatheredLoads.h"
#include "PingPong.h"
#include "RingUse.h"
#include "RoleBudget.h"
#include "StagedLoads.h"
#include "UnstagedLoads.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_WARPSPECIALIZEPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Scalars of the kernel's block that both roles may see from beside them.
static llvm::SetVector<Operation *> findBeside(KernelOp kernel) {
  llvm::SetVector<Operation *> beside;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getResultTypes(),
                     [](Type type) { return type.isIntOrIndexOrFloat(); }) &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *definition = operand.getDefiningOp();
          return !definition || beside.contains(definition);
        }))
      beside.insert(&op);
  return beside;
}

/// Of the warps that load, those that fetch rows, if none of these are
/// gathered.
static constexpr int64_t kRowWarps = 1;

/// Of the warps that load, those that fetch by threads.
static int64_t countFetchWarps(const RingPlan &plan) {
  int64_t warps = 0;
  for (const FetchGroup &group : plan.groups)
    for (const RingFetch &fetch : group.fetches)
      if (fetch.isByThreads)
        warps =
            std::max(warps, fetch.positionLayout ? kGatherWarps : kRowWarps);
  return warps;
}

namespace {
struct WarpSpecialize : sm::impl::WarpSpecializePassBase<WarpSpecialize> {
  using WarpSpecializePassBase::WarpSpecializePassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const GpuTarget &target = getTarget(kernel);
    auto keep = [&](const Twine &why) {
      if (remarks)
        kernel.emitRemark()
            << "this kernel stays one role: " << why.str() << " [one-role]";
    };
    if (kernel.getForm() != Form::Planned ||
        !kernel.getBody().getOps<RoleOp>().empty())
      return keep("it is not planned any more");
    int64_t mathWarps = kernel.getWarps();
    int64_t loadWarps = target.warpsPerWarpgroup;
    if (mathWarps % target.warpsPerWarpgroup != 0)
      return keep("its " + Twine(mathWarps) + " warps are no whole warpgroups");
    if ((mathWarps + loadWarps) * target.warpSize > target.threadsPerBlock)
      return keep("its " + Twine(mathWarps) +
                  " warps leave no warpgroup for loads");

    llvm::SetVector<Operation *> beside = findBeside(kernel);
    IsGiven isBeside = [&](Value value) {
      if (Operation *definition = value.getDefiningOp())
        return beside.contains(definition);
      return isa<KernelOp>(
          cast<BlockArgument>(value).getOwner()->getParentOp());
    };
    SmallVector<RingFetch> fetches = findFetches(kernel, isBeside);
    RingPlan plan = planRings(fetches);
    if (plan.groups.empty())
      return keep("it fetches nothing by tensor copies");
    if (!kernel.getPersistent() &&
        llvm::none_of(plan.rings, [](auto &ring) { return ring.isInLoop; }))
      return keep("it fetches nothing in a loop");

    int64_t available = 0;
    if (failed(chooseStages(kernel, plan, available)))
      return keep("its rings do not fit into the " + Twine(available) +
                  " bytes of shared memory that are left");
    plan = addStagedLoads(kernel, fetches, std::move(plan), isBeside,
                          [&](LoadOp load, const Twine &why) {
                            sayUnstaged(load, why, remarks);
                          });
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    int64_t wanted = schedule ? schedule.getStages() : 0;
    if (remarks)
      for (auto [ring, planned] : llvm::enumerate(plan.rings))
        if (planned.isInLoop && planned.stages < wanted) {
          kernel.emitRemark()
              << "rings have " << planned.stages << " stages instead of "
              << wanted << ": only " << available
              << " bytes of shared memory are left for them"
              << " [fewer-stages]";
          break;
        }
    specialize(kernel, plan, isBeside, beside);
    ++numSpecialized;
  }

  /// The fetches that the load role can do; says why the others stay.
  SmallVector<RingFetch> findFetches(KernelOp kernel, const IsGiven &isGiven) {
    SmallVector<RingFetch> found;
    ScalarSlice slice(isGiven);
    kernel.walk<WalkOrder::PreOrder>([&](FetchOp op) {
      std::string why;
      FailureOr<RingFetch> fetch = matchTmaFetch(op, why);
      if (succeeded(fetch) && findLastUse(op, why) &&
          succeeded(slice.add(op, op.getIndices(), why)))
        found.push_back(*fetch);
      else if (remarks)
        op.emitRemark() << "this fetch is no tensor copy of another role: "
                        << why << " [fetch-in-place]";
    });
    return found;
  }

  void specialize(KernelOp kernel, RingPlan &plan, const IsGiven &isGiven,
                  const llvm::SetVector<Operation *> &beside) {
    const GpuTarget &target = getTarget(kernel);
    Block &body = kernel.getBody().front();
    Location loc = kernel.getLoc();
    MLIRContext *context = &getContext();
    int64_t mathWarps = kernel.getWarps();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    SmallVector<Value> rings;
    for (const PlannedRing &ring : plan.rings)
      rings.push_back(RingAllocOp::create(
          builder, loc, RingType::get(context, ring.stages, ring.tiles),
          ring.isGivenByWarps));

    builder.setInsertionPoint(body.getTerminator());
    auto makeRole = [&](StringRef name, int64_t warps) {
      auto role = RoleOp::create(builder, loc, builder.getStringAttr(name),
                                 builder.getI64IntegerAttr(warps),
                                 /*registers=*/IntegerAttr(),
                                 /*elected=*/UnitAttr());
      role.getBody().emplaceBlock();
      return role;
    };
    int64_t fetchWarps = countFetchWarps(plan);
    bool hasFetches = fetchWarps > 0;
    auto load = makeRole("load", target.warpsPerWarpgroup - fetchWarps);
    load.setElected(true);
    cloneFilling(load, plan, rings, isGiven);
    if (hasFetches)
      cloneFilling(makeRole("fetch", fetchWarps), plan, rings, isGiven);

    auto math = makeRole("math", mathWarps);
    Block &inMath = math.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (!isa<RingAllocOp, RoleOp>(op) && !beside.contains(&op))
        op.moveBefore(&inMath, inMath.end());
    for (const FetchGroup &group : plan.groups) {
      bool isFilledAgain =
          kernel.getPersistent() || plan.rings[group.ring].isInLoop;
      useSlot(group, rings[group.ring], isFilledAgain);
    }

    bool isInTurn = splitMath(math);
    // Threads that fetch hold positions of several rows.
    shareRegisters(kernel, !hasFetches && (plan.rings.size() > 1 || isInTurn));
    kernel.setForm(Form::Scheduled);
    SmallVector<tile::SizeAttr> conditions;
    for (const FetchGroup &group : plan.groups)
      for (const RingFetch &fetch : group.fetches)
        conditions.push_back(fetch.condition);
    addConditions(kernel, conditions);
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

  /// Makes roles of `math` that compute in turn, if the schedule wants that.
  bool splitMath(RoleOp math) {
    auto kernel = math->getParentOfType<KernelOp>();
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    bool isOne = static_cast<int64_t>(math.getWarps()) ==
                 getTarget(kernel).warpsPerWarpgroup;
    // Several warpgroups of one role take turns by themselves.
    if (!schedule || !schedule.getPingpong() || !isOne)
      return false;
    int64_t count = countComputingRoles(kernel);
    std::string why = "there is no next program to compute beside this one";
    if (count > 1 && succeeded(computeInTurn(math, count, why)))
      return true;
    if (remarks)
      kernel.emitRemark() << "one role computes all programs: " << why
                          << " [no-turns]";
    return false;
  }

  /// Gives the kernel the warps of its roles, and these their registers.
  static void shareRegisters(KernelOp kernel, bool favoursMath) {
    const GpuTarget &target = getTarget(kernel);
    int64_t loadWarps = target.warpsPerWarpgroup, warps = 0;
    auto roles = kernel.getBody().getOps<RoleOp>();
    for (RoleOp role : roles)
      warps += role.getWarps();
    kernel.setWarps(warps);
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    RegisterBudget budget =
        splitRegisters(target, warps - loadWarps,
                       schedule ? schedule.getRegisters() : 0, favoursMath);
    for (RoleOp role : roles)
      role.setRegisters(role.getFirstWarp() < loadWarps ? budget.load
                                                        : budget.math);
  }
};
} // namespace
