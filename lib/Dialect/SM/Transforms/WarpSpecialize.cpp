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

#include "PingPong.h"
#include "RingPlan.h"
#include "RoleBudget.h"
#include "ScalarSlice.h"
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

static Value makeSlotTile(OpBuilder &builder, Location loc, Value slot,
                          SmemType type, int64_t index) {
  return SlotTileOp::create(builder, loc, type, slot, index);
}

/// The size that a copy is clipped by: `limit`, if it is that and all roles see
/// it.
static Value makeSize(OpBuilder &builder, Value limit, tile::SizeAttr size,
                      Location loc) {
  if (isSize(limit, size) &&
      isa<KernelOp>(limit.getParentBlock()->getParentOp()))
    return limit;
  return tile::SizeOp::create(builder, loc, builder.getIndexType(), size);
}

/// Zeroes what lies inside of the tensor, but past the limits of the fetch.
static void clip(OpBuilder &builder, const TmaFetch &fetch, Value tile) {
  FetchOp op = fetch.op;
  for (int64_t axis : fetch.clippedAxes) {
    Value start = op.getIndices()[op.getDims()[axis]];
    Value inTile = arith::SubIOp::create(builder, op.getLoc(),
                                         op.getLimits()[axis], start);
    ClipOp::create(builder, op.getLoc(), tile, axis, inTile);
  }
}

namespace {
struct WarpSpecialize : sm::impl::WarpSpecializePassBase<WarpSpecialize> {
  using WarpSpecializePassBase::WarpSpecializePassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    const GpuTarget &target = getTarget(kernel);
    auto keep = [&](const Twine &why) {
      if (remarks)
        kernel.emitRemark() << "this kernel stays one role: " << why.str();
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
    ScalarSlice slice([&](Value value) {
      if (Operation *definition = value.getDefiningOp())
        return beside.contains(definition);
      return isa<KernelOp>(
          cast<BlockArgument>(value).getOwner()->getParentOp());
    });
    RingPlan plan = planRings(findFetches(kernel, slice));
    if (plan.groups.empty())
      return keep("it fetches nothing by tensor copies");
    if (!kernel.getPersistent() &&
        llvm::none_of(plan.rings, [](auto &ring) { return ring.isInLoop; }))
      return keep("it fetches nothing in a loop");

    llvm::DenseSet<Operation *> inRings;
    for (const FetchGroup &group : plan.groups)
      for (const TmaFetch &fetch : group.fetches)
        inRings.insert(fetch.op);
    int64_t available =
        getRingBytes(kernel, [&](FetchOp op) { return inRings.contains(op); });
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    int64_t wanted = schedule ? schedule.getStages() : 0;
    if (failed(chooseStages(plan, wanted, available, kernel.getPersistent())))
      return keep("its rings do not fit into the " + Twine(available) +
                  " bytes of shared memory that are left");
    if (remarks)
      for (auto [ring, planned] : llvm::enumerate(plan.rings))
        if (planned.isInLoop && planned.stages < wanted) {
          kernel.emitRemark()
              << "rings have " << planned.stages << " stages instead of "
              << wanted << ": only " << available
              << " bytes of shared memory are left for them";
          break;
        }
    specialize(kernel, plan, slice, beside);
    ++numSpecialized;
  }

  /// The fetches that the load role can do; says why the others stay.
  SmallVector<TmaFetch> findFetches(KernelOp kernel, ScalarSlice &slice) {
    SmallVector<TmaFetch> found;
    kernel.walk<WalkOrder::PreOrder>([&](FetchOp op) {
      std::string why;
      FailureOr<TmaFetch> fetch = matchTmaFetch(op, why);
      if (succeeded(fetch) && findLastUse(op, why) &&
          succeeded(slice.add(op, op.getIndices(), why)))
        found.push_back(*fetch);
      else if (remarks)
        op.emitRemark() << "this fetch is no tensor copy of another role: "
                        << why;
    });
    return found;
  }

  void specialize(KernelOp kernel, RingPlan &plan, ScalarSlice &slice,
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
          builder, loc, RingType::get(context, ring.stages, ring.tiles)));
    llvm::DenseMap<Operation *, const FetchGroup *> groupAt;
    for (const FetchGroup &group : plan.groups)
      groupAt[group.getPlace()] = &group;

    builder.setInsertionPoint(body.getTerminator());
    auto makeRole = [&](StringRef name, int64_t warps) {
      auto role = RoleOp::create(builder, loc, builder.getStringAttr(name),
                                 builder.getI64IntegerAttr(warps),
                                 /*registers=*/IntegerAttr(),
                                 /*elected=*/UnitAttr());
      role.getBody().emplaceBlock();
      return role;
    };
    auto load = makeRole("load", target.warpsPerWarpgroup);
    load.setElected(true);
    IRMapping mapping;
    OpBuilder inLoad = OpBuilder::atBlockEnd(&load.getBody().front());
    slice.clone(body, inLoad, mapping,
                [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                  if (const FetchGroup *group = groupAt.lookup(op))
                    fill(at, *group, rings[group->ring], mapping);
                });

    auto math = makeRole("math", mathWarps);
    Block &inMath = math.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (!isa<RingAllocOp, RoleOp>(op) && !beside.contains(&op))
        op.moveBefore(&inMath, inMath.end());
    for (const FetchGroup &group : plan.groups) {
      bool isFilledAgain =
          kernel.getPersistent() || plan.rings[group.ring].isInLoop;
      use(group, rings[group.ring], isFilledAgain);
    }

    bool isInTurn = splitMath(math);
    shareRegisters(kernel, plan.rings.size() > 1 || isInTurn);
    kernel.setForm(Form::Scheduled);
    SmallVector<tile::SizeAttr> conditions;
    for (const FetchGroup &group : plan.groups)
      for (const TmaFetch &fetch : group.fetches)
        conditions.push_back(fetch.condition);
    addConditions(kernel, conditions);
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
      kernel.emitRemark() << "one role computes all programs: " << why;
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
      role.setRegisters(role.getElected() ? budget.load : budget.math);
  }

  /// What the load role does at the place of a group.
  static void fill(OpBuilder &builder, const FetchGroup &group, Value ring,
                   IRMapping &mapping) {
    FetchOp place = group.getPlace();
    SmallVector<SmemType> tiles = group.getTiles();
    auto slotType = SlotType::get(builder.getContext(), tiles);
    Value slot = RingAcquireOp::create(builder, place.getLoc(), slotType, ring);
    for (auto [index, fetch] : llvm::enumerate(group.fetches)) {
      FetchOp op = fetch.op;
      Location loc = op.getLoc();
      Value tile = makeSlotTile(builder, loc, slot, tiles[index], index);
      SmallVector<Value> indices, limits;
      for (Value position : op.getIndices())
        indices.push_back(mapping.lookupOrDefault(position));
      for (auto [limit, dim] : llvm::zip(op.getLimits(), op.getDims()))
        limits.push_back(
            makeSize(builder, limit, op.getGlobalType().getShape()[dim], loc));
      CopyStartOp::create(builder, loc, op.getGlobal(), indices, limits,
                          /*mask=*/Value(), op.getDimsAttr(),
                          op.getInBoundsAttr(), tile);
    }
    RingCommitOp::create(builder, place.getLoc(), slot);
  }

  /// Lets the warps of a role meet if no product of `fetch` has run since its
  /// slot was taken: one that still waits for this phase of the barrier would
  /// miss it if the stage were filled again, and again.
  static void meetWithoutProducts(OpBuilder &builder, const TmaFetch &fetch) {
    FetchOp op = fetch.op;
    Location loc = op.getLoc();
    Value skipped;
    for (Operation *user : op->getUsers()) {
      if (user->getBlock() == op->getBlock())
        return;
      auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
      if (!loop || loop->getBlock() != op->getBlock() || loop.getUnsignedCmp())
        continue;
      Value isIdle =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                loop.getLowerBound(), loop.getUpperBound());
      skipped = skipped ? arith::AndIOp::create(builder, loc, skipped, isIdle)
                        : isIdle;
    }
    if (!skipped) {
      BarrierOp::create(builder, loc);
      return;
    }
    auto branch = scf::IfOp::create(builder, loc, skipped,
                                    /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    BarrierOp::create(inner, loc);
  }

  /// Replaces the fetches of a group by a slot of its ring.
  static void use(const FetchGroup &group, Value ring, bool isFilledAgain) {
    FetchOp place = group.getPlace();
    OpBuilder builder(place);
    // One thread of a warpgroup gives the slot back for all. Warps of a product
    // end together; those that read for themselves have to meet first.
    bool isOnlyMultiplied = llvm::all_of(group.fetches, [](TmaFetch fetch) {
      return llvm::all_of(fetch.op->getUsers(), llvm::IsaPred<MmaOp>);
    });
    SmallVector<SmemType> tiles = group.getTiles();
    auto slotType = SlotType::get(builder.getContext(), tiles);
    Value slot = RingWaitOp::create(builder, place.getLoc(), slotType, ring);
    builder.setInsertionPointAfter(group.lastUse);
    if (!isOnlyMultiplied)
      BarrierOp::create(builder, group.lastUse->getLoc());
    else if (isFilledAgain)
      meetWithoutProducts(builder, group.fetches.front());
    RingReleaseOp::create(builder, group.lastUse->getLoc(), slot);
    builder.setInsertionPoint(place);
    for (auto [index, fetch] : llvm::enumerate(group.fetches)) {
      FetchOp op = fetch.op;
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        if (user->getBlock() == place->getBlock() &&
            user->isBeforeInBlock(place))
          user->moveAfter(place);
      Value tile =
          makeSlotTile(builder, op.getLoc(), slot, tiles[index], index);
      clip(builder, fetch, tile);
      op.getResult().replaceAllUsesWith(tile);
    }
    for (const TmaFetch &fetch : group.fetches)
      FetchOp(fetch.op).erase();
  }
};
} // namespace
