//===- PlanRoles.cpp - Planning of roles, rings and stores ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-plan: the only one that chooses roles, rings and stores. It
// decides on a copy of the kernel which loads go to the producer roles (load
// and fetch), and writes the plan. Conditions for a load are in
// Roles/ProducerLoads.h and Roles/TmaFetch.h; the loads of a ring are in
// PlanRings.h.
//
//===----------------------------------------------------------------------===//

#include "PlanComputedRings.h"
#include "PlanRings.h"
#include "PlanStores.h"
#include "PlanTransforms.h"
#include "RoleBudget.h"
#include "Roles/ComputedRows.h"
#include "Roles/GatheredLoads.h"
#include "Roles/KernelScopeValues.h"
#include "Roles/PingPong.h"
#include "Roles/PlanEntries.h"
#include "UnmetHints.h"

#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/IR/RegisterPressure.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PLANPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
/// Plans a kernel, and stages some of its loads.
class Planner {
public:
  Planner(KernelOp kernel, bool remarks)
      : entries(kernel.getContext()), kernel(kernel), remarks(remarks),
        beside(kernel),
        isVisible([this](Value value) { return beside.contains(value); }),
        staged(ArrayRef<StageableLoad>()) {}

  /// The plan; null if there is nothing to do.
  PlanAttr plan();

  /// The entries of the plan, with the names of ops of the kernel.
  PlanWriter entries;

private:
  void keepOneRole(const Twine &why) {
    if (remarks)
      kernel.emitRemark() << "this kernel stays one role: " << why
                          << " [one-role]";
    rings = {};
    turns = 1;
    whyOneRole = why.str();
  }
  void chooseRings();
  bool bringsTiles(const RingPlan &plan) const;
  void warnOfGathers() const;
  void chooseTurns();
  void stageLoads();
  int64_t countMostSlots(const RingPlan &plan) const;
  ScratchBudget getScratch(const RingPlan &plan) const {
    return getScratchBudget(
        kernel, turns, countMostSlots(plan),
        [&](Operation *op) { return needsNoMemory(plan, op); });
  }
  bool needsNoMemory(const RingPlan &plan, Operation *op) const;
  void chooseComputedRings();
  RegisterBudget getRegisters(int64_t transformWarps) const;
  /// Returns the shared memory with stores as its only use.
  SharedMemoryBudget getMemoryOfStores() const;
  /// Returns the shared memory with rings and stores as its uses.
  SharedMemoryBudget getMemory() const;
  bool hasStoreRole() const;
  int64_t countLoadWarps() const;
  void chooseBlocks(int64_t bytes);
  SmallVector<PlannedRoleAttr> makeRoles() const;
  KernelOp kernel;
  bool remarks;
  KernelScopeValues beside;
  IsVisible isVisible;
  ProducerLoads staged;
  SmallVector<RingFetch> fetches;
  RingPlan rings;
  SmallVector<StoreChoice> stores;
  SmallVector<ComputedRing> transformed, exchanges;
  int64_t turns = 1;
  /// Number of blocks that share a multiprocessor.
  int64_t blocks = 1;
  std::string whyOneRole;
  std::string whyNoExchange;
};
} // namespace

void Planner::chooseRings() {
  if (Reason obstacle = getWarpObstacle(kernel))
    return keepOneRole(obstacle.str());
  fetches =
      findRingFetches(kernel, isVisible, [&](FetchOp op, const Twine &why) {
        if (remarks)
          op.emitRemark() << "this fetch is no tensor copy of another role: "
                          << why << " [fetch-in-place]";
      });
  rings = planRings(fetches);
  if (bringsTiles(rings))
    return;
  // Gathered rows may join the rings, and justify a role.
  if (llvm::none_of(findGathers(kernel),
                    [](LoadOp load) { return !getObstacle(load); }))
    keepOneRole(rings.groups.empty() ? "it fetches nothing by tensor copies"
                                     : "it fetches nothing in a loop");
}

/// Checks whether roles pay off: other roles load tiles of a loop, or of the
/// next program. Vectors alone do not pay off.
bool Planner::bringsTiles(const RingPlan &plan) const {
  return llvm::any_of(plan.groups, [&](const FetchGroup &group) {
    return (KernelOp(kernel).getPersistent() ||
            plan.rings[group.ring].isInLoop) &&
           llvm::any_of(group.fetches, [](const RingFetch &fetch) {
             return (!fetch.isByThreads && !isCopiedVector(fetch)) ||
                    fetch.positionLayout;
           });
  });
}

/// Several warpgroups of one role take turns by themselves.
void Planner::chooseTurns() {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  bool isOne = static_cast<int64_t>(kernel.getWarps()) ==
               getTarget(kernel).warpsPerWarpgroup;
  if (!whyOneRole.empty() || !schedule || !schedule.getPingpong() || !isOne)
    return;
  if (Reason obstacle = getPingPongObstacle(kernel))
    warnOfOneComputing(kernel, obstacle.str());
  else
    turns = kRolesInTurn;
}

/// Returns the number of rings that a program fills once.
static int64_t countRingsOutsideLoops(const RingPlan &plan) {
  return llvm::count_if(plan.rings,
                        [](const PlannedRing &ring) { return !ring.isInLoop; });
}

/// Adds the loads for arithmetic to the rings, if there are any rings.
void Planner::stageLoads() {
  int64_t available = 0, wanted = 0;
  int64_t numOnce = countRingsOutsideLoops(rings);
  SharedMemoryBudget ofStores = getMemoryOfStores();
  auto fit = [&](RingPlan &plan, int64_t &bytes) {
    // A ring of rows that a program uses once must fit together with ample
    // barriers: it takes registers of the role that computes, and hides one
    // latency.
    bool isAmple = countRingsOutsideLoops(plan) > numOnce;
    ScratchBudget scratch = getScratch(plan);
    RingBudget budget(kernel, ofStores);
    budget.memory.addScratch(isAmple ? scratch.reservedAmple
                                     : scratch.reserved);
    bytes = available = budget.memory.getLeft();
    wanted = budget.wanted;
    return chooseSlots(plan, budget.wanted, bytes, budget.isPersistent);
  };
  if (failed(fit(rings, available))) {
    keepOneRole("its rings do not fit into the " + Twine(available) +
                " bytes of shared memory that are left");
    return warnOfGathers();
  }
  int64_t alone = available;
  auto refuseLoad = [&](LoadOp load, const Twine &why) {
    diagnoseUnstagedLoad(load, why, remarks);
  };
  SmallVector<StageableLoad> loads = findStageableLoads(kernel, refuseLoad);
  dropCostlyTiles(loads, fetches, stores, refuseLoad);
  chooseCopiedVectors(loads, fetches, stores);
  staged = ProducerLoads(loads);
  rings = addStagedLoads(kernel, staged, fetches, rings, isVisible, fit,
                         refuseLoad);
  if (!bringsTiles(rings)) {
    for (FetchOp fetch : staged.getFetches())
      staged.revert(fetch);
    return keepOneRole(
        "no other role can load the rows that it gathers in a loop");
  }
  warnOfSlots(kernel, rings, wanted, alone, remarks);
}

/// Warns of all gathers, since the products of a kernel of one role wait for
/// them.
void Planner::warnOfGathers() const {
  for (LoadOp load : findGathers(kernel)) {
    Reason obstacle = getObstacle(load);
    diagnoseUnstagedLoad(load, obstacle ? obstacle.str() : whyOneRole, remarks);
  }
}

/// Returns a bound of the slots that the rings of `plan`, stores and computed
/// rings get together. Slots of `plan` may not be chosen yet.
int64_t Planner::countMostSlots(const RingPlan &plan) const {
  int64_t wanted = getWantedSlots(kernel);
  int64_t slots = 0;
  for (const PlannedRing &ring : plan.rings)
    slots += std::max({ring.slots, wanted, cost::kDefaultSlots});
  for (const StoreChoice &store : stores)
    slots += store.slots;
  for (const ComputedRing &ring :
       llvm::concat<const ComputedRing>(transformed, exchanges))
    slots += ring.slots;
  return slots;
}

bool Planner::needsNoMemory(const RingPlan &plan, Operation *op) const {
  if (auto fetch = dyn_cast<FetchOp>(op))
    return isInRing(plan, fetch);
  return llvm::any_of(llvm::concat<const ComputedRing>(transformed, exchanges),
                      [&](const ComputedRing &ring) {
                        return llvm::is_contained(ring.ops, op);
                      });
}

/// Plans the tiles that computing roles hand to themselves and to a store role;
/// they take the shared memory that rings and stores leave. Ping-pong roles do
/// neither: while one of them waits, the other one multiplies.
void Planner::chooseComputedRings() {
  if (turns > 1)
    return;
  int64_t slots = 0;
  for (const PlannedRing &ring : rings.rings)
    slots += ring.slots;
  SharedMemoryBudget memory = getMemory();
  memory.addScratch(getScratch(rings).staging + getBarrierBytes(slots));
  ComputedRingPlanner planner(kernel, stores, memory.getLeft());
  auto refuseTransformed = [&](Operation *smemStore, const Twine &why) {
    if (remarks)
      smemStore->emitRemark()
          << "products wait for this tile, which their own role "
             "computes: "
          << why << " [tile-in-place]";
  };
  transformed = planner.chooseTransformed(
      findTransformedOperands(kernel, rings, getRegisters(kTransformWarps),
                              isVisible, refuseTransformed),
      refuseTransformed);
  exchanges = planner.chooseExchanges(
      transformed, [&](Operation *smemStore, const Twine &why) {
        whyNoExchange = why.str();
        if (remarks)
          smemStore->emitRemark()
              << "warpgroups meet where they exchange this tile: " << why
              << " [warpgroups-meet]";
      });
  assert(countLoadWarps() > 1 && "role 'store' takes one of the warps");
  planner.chooseHandedStores(isVisible, [&](Operation *store,
                                            const Twine &why) {
    if (remarks)
      store->emitRemark() << "this store is no copy of another role: " << why
                          << " [store-in-place]";
  });
}

/// Of the warps that load, those that fetch by tensor copies, if no role
/// stores.
int64_t Planner::countLoadWarps() const {
  return getTarget(kernel).warpsPerWarpgroup - countFetchWarps(rings);
}

bool Planner::hasStoreRole() const {
  return llvm::any_of(stores,
                      [](const StoreChoice &store) { return store.slots > 0; });
}

/// Stores of tiles of one type that another role does share a ring.
SharedMemoryBudget Planner::getMemoryOfStores() const {
  SharedMemoryBudget memory(getTarget(kernel));
  KernelOp(kernel).walk(
      [&](TmaStoreOp op) { memory.addStaging(turns * getScratchBytes(op)); });
  llvm::DenseSet<SmemType> rings;
  for (const StoreChoice &store : stores)
    if (store.slots == 0)
      memory.addStaging(turns * getStoreBytes(store.op, store.buffers));
    else if (SmemType tile = getStoreRingType(store.op);
             rings.insert(tile).second)
      memory.addStaging(store.slots * getSlotBytes(tile));
  return memory;
}

SharedMemoryBudget Planner::getMemory() const {
  SharedMemoryBudget memory = getMemoryOfStores();
  for (const PlannedRing &ring : rings.rings)
    memory.addRing(ring.tiles, ring.slots);
  for (const ComputedRing &ring :
       llvm::concat<const ComputedRing>(transformed, exchanges))
    memory.addRing(ring.getTile(), ring.slots);
  return memory;
}

/// Chooses the largest number of blocks that shared memory, threads and the
/// register need of the math role permit.
void Planner::chooseBlocks(int64_t bytes) {
  // With the hint `registers`, the budgets determine the number of blocks.
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (schedule && schedule.getRegisters() > 0)
    return;
  // A persistent kernel hides latency across its programs.
  if (kernel.getPersistent() || kernel.getClusterAxis() || turns > 1 ||
      !transformed.empty())
    return;
  const GpuTarget &target = getTarget(kernel);
  int64_t warps = kernel.getWarps() + target.warpsPerWarpgroup, ofProduct = 0;
  // If threads or other products wait for a product, more registers help more
  // than more blocks. The estimate was not measured for multiply-adds.
  bool isSum = true;
  kernel.walk([&](Operation *op) {
    if (auto mma = dyn_cast<MmaOp>(op)) {
      ofProduct = std::max(ofProduct, getProductNeed(op));
      isSum &= isa<BlockArgument>(mma.getAccumulator());
    }
    isSum &= !isa<DotOp>(op);
  });
  if (!isSum || ofProduct == 0)
    return;
  int64_t need = getMathNeed(kernel, rings, {}) + cost::kCountError;
  int64_t most = getBlocksInSharedMemory(target, bytes);
  int64_t loadAlone = getRegisters(/*transformWarps=*/0).load;
  for (int64_t count = most; count > 1; --count) {
    blocks = count;
    RegisterBudget budget = getRegisters(/*transformWarps=*/0);
    int64_t registers = budget.load * target.warpsPerWarpgroup +
                        budget.math * kernel.getWarps();
    // Threads that gather keep the registers that they have with one block.
    bool feedsLoads = countFetchWarps(rings) == 0 || budget.load >= loadAlone;
    if (need <= budget.math && feedsLoads &&
        fitsBlocks(target, warps, registers, ofProduct + cost::kCountError,
                   count))
      return;
  }
  blocks = 1;
}

RegisterBudget Planner::getRegisters(int64_t transformWarps) const {
  KernelOp op = kernel;
  tile::ScheduleAttr schedule = op.getScheduleAttr();
  // Threads that gather hold positions of several rows.
  bool favoursMath = countFetchWarps(rings) <= kRowWarps &&
                     (rings.rings.size() > 1 || turns > 1);
  int64_t mathWarps = op.getWarps();
  return splitRegisters(getTarget(op), {turns * mathWarps, transformWarps},
                        schedule ? schedule.getRegisters() : 0, favoursMath,
                        blocks);
}

SmallVector<PlannedRoleAttr> Planner::makeRoles() const {
  MLIRContext *context = kernel->getContext();
  KernelOp op = kernel;
  int64_t fetchWarps = countFetchWarps(rings);
  int64_t transformWarps = transformed.empty() ? 0 : kTransformWarps;
  RegisterBudget budget = getRegisters(transformWarps);
  auto make = [&](StringRef name, int64_t warps, int64_t registers,
                  int64_t roles) {
    return PlannedRoleAttr::get(context, name, warps, registers,
                                /*elected=*/name == "load" || name == "store",
                                roles);
  };
  SmallVector<PlannedRoleAttr> roles{
      make("load", countLoadWarps() - hasStoreRole(), budget.load, 1)};
  if (fetchWarps > 0)
    roles.push_back(make("fetch", fetchWarps, budget.load, 1));
  if (hasStoreRole())
    roles.push_back(make("store", 1, budget.load, 1));
  if (transformWarps > 0)
    roles.push_back(make("transform", transformWarps, budget.transform, 1));
  roles.push_back(make("math", op.getWarps(), budget.math, turns));
  return roles;
}

PlanAttr Planner::plan() {
  chooseRings();
  chooseTurns();
  RingBudget budget(kernel, getMemoryOfStores());
  budget.memory.addScratch(getScratch(rings).reserved);
  auto refuse = [&](Operation *op, const Twine &why) {
    if (remarks)
      op->emitRemark() << "this store is no tensor copy: " << why
                       << " [store-by-threads]";
  };
  stores = chooseStores(kernel, rings, turns, budget, refuse);
  SmallVector<StoreChoice> clipped = takeClippedStores(stores);
  if (whyOneRole.empty())
    stageLoads();
  else
    warnOfGathers();
  if (rings.rings.empty()) {
    warnOfOneRole(kernel, whyOneRole);
    warnOfExchanges(kernel, "the kernel stays one role, since " + whyOneRole);
    stores.append(clipped);
    if (stores.empty())
      return nullptr;
    entries.addStores(stores);
    return entries.getPlan(/*roles=*/{}, /*rest=*/0);
  }
  chooseComputedRings();
  if (exchanges.empty())
    warnOfExchanges(kernel, whyNoExchange);
  ScratchBudget scratch = getScratch(rings);
  stores.append(fitStores(clipped, turns,
                          getMemory().getLeft() - scratch.reserved, refuse));
  // Use the rest of the shared memory.
  SharedMemoryBudget memory = getMemory();
  chooseBlocks(memory.getUsed() + scratch.reserved);
  SmallVector<PlannedRoleAttr> roles = makeRoles();
  warnOfRegisters(kernel, roles.back().getRegisters());
  entries.addRings(rings, staged);
  entries.addRings(transformed);
  entries.addRings(exchanges);
  entries.addStores(stores);
  return entries.getPlan(roles, std::min(memory.getLeft(), scratch.upperBound));
}

namespace {
struct PlanPass : sm::impl::PlanPassBase<PlanPass> {
  using PlanPassBase::PlanPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    // A plan that is there is somebody's choice.
    if (kernel.getPlanAttr() || kernel->hasAttr(kVariantOfAttrName))
      return;
    if (kernel.getForm() != Form::Planned ||
        !kernel.getBody().getOps<RoleOp>().empty()) {
      if (remarks)
        kernel.emitRemark()
            << "this kernel stays one role: it is not planned any more"
            << " [one-role]";
      return;
    }
    OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
    setTarget(*module, getTarget(kernel));
    IRMapping mapping;
    auto copy = cast<KernelOp>(kernel->clone(mapping));
    module->push_back(copy);
    Planner planner(copy, remarks);
    PlanAttr plan = planner.plan();
    if (!plan)
      return;
    kernel.setPlanAttr(plan);
    kernel.walk([&](Operation *op) {
      StringRef name = planner.entries.getName(mapping.lookupOrNull(op));
      if (!name.empty())
        op->setAttr(kPlanEntryAttrName, StringAttr::get(&getContext(), name));
    });
    ++numPlanned;
  }
};
} // namespace
