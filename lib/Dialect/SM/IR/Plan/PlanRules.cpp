//===- PlanRules.cpp - Whether a plan fits its kernel -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of plans that follow from the text of the kernel. The passes that carry
// out a plan report ops that cannot do what the plan demands.
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/IR/SharedMemoryBudget.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "llvm/ADT/StringSet.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// C8: names
//===----------------------------------------------------------------------===//

/// Checks whether `op` computes a row, as statistics are.
static bool isRow(Operation *op) {
  if (op->getNumResults() != 1 || isa<LoadOp, FetchOp>(op))
    return false;
  auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return tile && tile.getRank() == 1;
}

/// The name that `op` has must be one of the plan; adds it to `stores` if it is
/// that of a store.
static LogicalResult verifyName(Operation *op, PlanAttr plan,
                                llvm::StringSet<> &stores) {
  StringRef name = getPlanEntryName(op);
  if (name.empty())
    return success();
  if (!plan)
    return op->emitOpError()
           << "names '" << name << "', but the kernel has no plan";
  bool arrives = namesPlanEntry(op);
  if (!arrives)
    stores.insert(name);
  if (PlannedRingAttr ring = plan.findRing(name); ring && arrives) {
    if (ring.takesSmemStores() == isa<SmemStoreOp>(op) ||
        (ring.getFiller() == Filler::Transform && isRow(op)))
      return success();
    if (ring.takesSmemStores())
      return op->emitOpError()
             << "names ring '" << name << "', which '"
             << stringifyFiller(ring.getFiller())
             << "' fills; tiles of 'sm.smem.store' go through it";
    return op->emitOpError()
           << "names ring '" << name
           << "', which neither 'math' nor 'transform' fills; what they write "
              "cannot go through it";
  }
  if (PlannedStoreAttr store = plan.findStore(name); store && !arrives) {
    if (isa<TmaStoreOp>(op) && !store.getByRole())
      return op->emitOpError()
             << "names store '" << name << "' by buffers, and has its own";
    return success();
  }
  return op->emitOpError() << "names the " << (arrives ? "ring" : "store")
                           << " '" << name << "', which is not in the plan";
}

static LogicalResult verifyNames(KernelOp kernel) {
  PlanAttr plan = kernel.getPlanAttr();
  llvm::StringSet<> stores;
  WalkResult result = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    return verifyName(op, plan, stores);
  });
  if (result.wasInterrupted() || !plan)
    return failure(result.wasInterrupted());
  for (PlannedStoreAttr store : plan.getStores())
    if (!stores.contains(store.getName()))
      return kernel.emitOpError() << "has no store and no addition for store '"
                                  << store.getName() << "' of its plan";
  return success();
}

//===----------------------------------------------------------------------===//
// C9, C10: roles
//===----------------------------------------------------------------------===//

/// Checks whether `role` is of the warpgroup that loads, and stores.
static bool isInLoadGroup(PlannedRoleAttr role) {
  return role.getName() != "transform" && role.getName() != "math";
}

static int64_t countWarps(PlanAttr plan) {
  int64_t warps = 0;
  for (PlannedRoleAttr role : plan.getRoles())
    warps += role.getWarps() * role.getTurns();
  return warps;
}

static LogicalResult verifyRoles(KernelOp kernel, const GpuTarget &target) {
  PlanAttr plan = kernel.getPlanAttr();
  PlannedRoleAttr math = plan.getMath();
  int64_t perGroup = target.warpsPerWarpgroup, loading = 0;
  for (PlannedRoleAttr role : plan.getRoles().drop_back()) {
    if (!isInLoadGroup(role))
      continue;
    loading += role.getWarps();
    // An op that takes a tile from shared memory waits for its role.
    if (role.getName() == "store" && role.getWarps() != 1)
      return kernel.emitOpError()
             << "expected one warp of role 'store' in its plan, got "
             << role.getWarps();
  }
  if (math.getWarps() != static_cast<int64_t>(kernel.getWarps()))
    return kernel.emitOpError()
           << "has layouts over " << kernel.getWarps()
           << " warps; its plan has " << math.getWarps() << " in role 'math'";
  auto verifyGroups = [&](int64_t warps, StringRef what) -> LogicalResult {
    if (warps % perGroup == 0)
      return success();
    return kernel.emitOpError()
           << "expected roles of whole warpgroups, of " << perGroup
           << " warps, in its plan, got " << warps << " that " << what;
  };
  if (failed(verifyGroups(loading, "load")) ||
      failed(verifyGroups(math.getWarps(), "compute")))
    return failure();
  for (PlannedRoleAttr role : plan.getRoles())
    if (role.getName() == "transform" &&
        failed(verifyGroups(role.getWarps(), "transform")))
      return failure();
  int64_t warps = countWarps(plan), most = target.threadsPerBlock;
  if (warps * target.warpSize > most)
    return kernel.emitOpError() << "has " << warps << " warps in its plan; a "
                                << "block has " << most / target.warpSize;
  if (math.getTurns() == 1)
    return success();
  if (math.getWarps() != perGroup)
    return kernel.emitOpError()
           << "has roles of " << math.getWarps()
           << " warps in turn in its plan; expected one warpgroup each";
  if (!kernel.getPersistent())
    return kernel.emitOpError() << "has roles in turn in its plan, but no next "
                                   "program; expected a persistent kernel";
  return success();
}

static LogicalResult verifyRegisters(KernelOp kernel, const GpuTarget &target) {
  PlanAttr plan = kernel.getPlanAttr();
  PlannedRoleAttr load = plan.getRoles().front();
  int64_t wanted = 0;
  for (PlannedRoleAttr role : plan.getRoles()) {
    int64_t registers = role.getRegisters();
    if (registers < target.minMaxRegisters ||
        registers > target.maxMaxRegisters ||
        registers % target.registerStep != 0)
      return kernel.emitOpError()
             << "expected a multiple of " << target.registerStep
             << " registers from " << target.minMaxRegisters << " to "
             << target.maxMaxRegisters << " for role '" << role.getName()
             << "' of its plan, got " << registers;
    if (isInLoadGroup(role) && registers != load.getRegisters())
      return kernel.emitOpError()
             << "expected the " << load.getRegisters()
             << " registers of role 'load' for role '" << role.getName()
             << "' of the same warpgroup, got " << registers;
    wanted += registers * role.getWarps() * role.getTurns();
  }
  int64_t warps = countWarps(plan);
  int64_t atEntry = target.getRegistersAtEntry(warps * target.warpSize);
  if (wanted <= atEntry * warps)
    return success();
  return kernel.emitOpError()
         << "has " << wanted << " registers in the roles of its plan, summed "
         << "over warps; a launch of " << warps << " warps allocates "
         << atEntry * warps;
}

//===----------------------------------------------------------------------===//
// C11: slots
//===----------------------------------------------------------------------===//

/// Returns the tiles of a slot, in an order that does not depend on the ops'.
static SmallVector<const void *> getTiles(ArrayRef<Operation *> ops) {
  auto tiles = llvm::map_to_vector(ops, [](Operation *op) {
    return getFetchedType(op).getAsOpaquePointer();
  });
  llvm::sort(tiles);
  return tiles;
}

static LogicalResult verifySlots(KernelOp kernel) {
  llvm::MapVector<StringAttr, SmallVector<ArrayRef<Operation *>>> known;
  PlannedSlots slots = findPlannedSlots(kernel);
  for (auto &[place, ops] : slots) {
    PlannedRingAttr ring = findRing(ops.front());
    if (ring && ring.takesSmemStores() && ops.size() > 1) {
      InFlightDiagnostic diagnostic =
          ops.back()->emitOpError()
          << "fills ring '" << place.first.getValue()
          << "' for the second time in its block; one tile at a time goes "
             "through it";
      diagnostic.attachNote(ops.front()->getLoc()) << "it is filled here";
      return diagnostic;
    }
    auto &others = known[place.first];
    for (ArrayRef<Operation *> other : others) {
      Operation *first = other.front(), *op = ops.front();
      if (getTiles(other) != getTiles(ops)) {
        InFlightDiagnostic diagnostic =
            op->emitOpError()
            << "begins a slot of ring '" << place.first.getValue()
            << "' with other tiles than those before it";
        diagnostic.attachNote(first->getLoc()) << "a slot begins here";
        return diagnostic;
      }
      if (first->getBlock()->findAncestorOpInBlock(*op)) {
        InFlightDiagnostic diagnostic =
            op->emitOpError()
            << "fills ring '" << place.first.getValue()
            << "' while a slot of it may be held, for as long as the block "
               "runs around it; expected a ring of its own";
        diagnostic.attachNote(first->getLoc()) << "that slot is filled here";
        return diagnostic;
      }
    }
    others.push_back(ops);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// C12: bytes
//===----------------------------------------------------------------------===//

static LogicalResult verifyBytes(KernelOp kernel) {
  SharedMemoryBudget budget = SharedMemoryBudget::ofPlan(kernel);
  if (budget.getLeft() >= 0)
    return success();
  return kernel.emitOpError() << "has a plan of " << budget.getUsed()
                              << " bytes of shared memory: " << budget.str()
                              << "; a block has " << budget.getAvailable();
}

//===----------------------------------------------------------------------===//
// C13: tiles that a role stores
//===----------------------------------------------------------------------===//

static LogicalResult verifyStoreRoleTiles(KernelOp kernel) {
  llvm::DenseMap<PlannedStoreAttr, Operation *> known;
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (!isa<StoreOp, AtomicOp, TmaStoreOp>(op))
      return success();
    PlannedStoreAttr store = findStore(op);
    if (!store || !store.getByRole())
      return success();
    SmemType tile = getStoreRingType(op);
    if (!tile)
      return op->emitOpError()
             << "names store '" << store.getName()
             << "', which a role does; its tile is no sequence of boxes";
    Operation *first = known.insert({store, op}).first->second;
    if (getStoreRingType(first) == tile)
      return success();
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "names store '" << store.getName()
                          << "', whose ring has tiles of another type";
    diagnostic.attachNote(first->getLoc()) << "a tile for it is stored here";
    return diagnostic;
  });
  return failure(result.wasInterrupted());
}

LogicalResult sm::checkRingsAreFilled(KernelOp kernel) {
  llvm::StringSet<> filled;
  kernel.getBody().walk([&](Operation *op) {
    if (namesPlanEntry(op))
      filled.insert(getPlanEntryName(op));
  });
  for (PlannedRingAttr ring : kernel.getPlanAttr().getRings())
    if (!filled.contains(ring.getName()))
      return kernel.emitOpError()
             << "has no "
             << (ring.takesSmemStores() ? "'sm.smem.store'"
                                        : "fetch and no load")
             << " for ring '" << ring.getName() << "' of its plan";
  return success();
}

LogicalResult sm::verifyPlan(KernelOp kernel) {
  PlanAttr plan = kernel.getPlanAttr();
  if (plan && (kernel.getForm() != Form::Planned ||
               !kernel.getBody().getOps<RoleOp>().empty()))
    return kernel.emitOpError()
           << "has a plan, which is carried out already; expected the planned "
              "form, without roles";
  if (failed(verifyNames(kernel)))
    return failure();
  if (!plan)
    return success();
  const GpuTarget &target = getTarget(kernel);
  if (!plan.getRoles().empty() && (failed(verifyRoles(kernel, target)) ||
                                   failed(verifyRegisters(kernel, target))))
    return failure();
  return failure(failed(verifySlots(kernel)) ||
                 failed(verifyStoreRoleTiles(kernel)) ||
                 failed(verifyBytes(kernel)));
}
