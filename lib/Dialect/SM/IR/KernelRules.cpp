//===- KernelRules.cpp - Rules for all ops in a kernel ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Tiles and roles
//===----------------------------------------------------------------------===//

/// Returns the role that contains `op`, or null.
static RoleOp getRole(Operation *op) {
  auto role = dyn_cast<RoleOp>(op);
  return role ? role : op->getParentOfType<RoleOp>();
}

/// Returns a tensor, or the one that is pending; else null.
static RankedTensorType getTile(Type type) {
  if (auto pending = dyn_cast<PendingType>(type))
    return pending.getTensor();
  return dyn_cast<RankedTensorType>(type);
}

static LogicalResult verifyTile(Operation *op, Type type) {
  RankedTensorType tile = getTile(type);
  if (!tile)
    return success();
  if (!isRegisterTile(tile))
    return op->emitOpError()
           << "expected tiles in registers to have a layout, got " << tile;
  RoleOp role = getRole(op);
  if (role && role.getElected())
    return op->emitOpError() << "holds a tile, " << tile
                             << ", but only one thread executes the role '"
                             << role.getName() << "'";
  int64_t warps = getLayout(tile).getSize(layout::kWarp);
  if (warps == getWarps(op))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "expected a layout over the "
                                  << getWarps(op) << " warps of the ";
  if (role)
    diagnostic << "role '" << role.getName() << "'";
  else
    diagnostic << "kernel";
  return diagnostic << ", got " << warps << " in " << tile;
}

/// Ops that wait for all threads of the role, and would for ever.
static bool takesAllThreads(Operation *op) {
  return isa<BarrierOp, FetchOp, MmaRetireOp>(op);
}

LogicalResult sm::verifyRoleContents(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([](Operation *op) -> WalkResult {
    if (takesAllThreads(op))
      if (RoleOp role = getRole(op); role && role.getElected())
        return op->emitOpError()
               << "takes all threads, but only one executes the role '"
               << role.getName() << "'";
    for (Type type : op->getOperandTypes())
      if (failed(verifyTile(op, type)))
        return failure();
    for (Type type : op->getResultTypes())
      if (failed(verifyTile(op, type)))
        return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(verifyTile(op, type)))
            return failure();
    return success();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

/// Ops that other warps of the role have to execute as well.
static bool meetsOtherWarps(Operation *op) {
  return isa<SMDialect>(op->getDialect()) && !isa<AnyOp>(op) &&
         !isMemoryEffectFree(op) && !isa<LoadOp, StoreOp, AtomicOp>(op);
}

/// Returns the vote that `value` is computed from, or null.
static AnyOp findVote(Value value) {
  Operation *definition = value.getDefiningOp();
  if (!definition || definition->getNumRegions() != 0)
    return nullptr;
  if (auto vote = dyn_cast<AnyOp>(definition))
    return vote;
  for (Value operand : definition->getOperands())
    if (operand.getType().isInteger(1))
      if (AnyOp vote = findVote(operand))
        return vote;
  return nullptr;
}

LogicalResult sm::verifyVotes(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([](scf::IfOp branch) -> WalkResult {
    AnyOp vote = findVote(branch.getCondition());
    if (!vote)
      return success();
    return branch.walk([&](Operation *op) -> WalkResult {
      if (!meetsOtherWarps(op))
        return success();
      InFlightDiagnostic diagnostic =
          op->emitOpError()
          << "meets other warps, which may have voted otherwise";
      diagnostic.attachNote(vote.getLoc()) << "the vote of each warp";
      return diagnostic;
    });
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Products in flight
//===----------------------------------------------------------------------===//

/// Checks whether at most one of two ops is executed: they are in different
/// branches of one `scf.if`.
static bool excludeEachOther(Operation *a, Operation *b) {
  for (Region *region = a->getParentRegion(); region;
       region = region->getParentRegion())
    if (isa<scf::IfOp>(region->getParentOp()) &&
        region->getParentOp()->isProperAncestor(b) &&
        !region->isAncestor(b->getParentRegion()))
      return true;
  return false;
}

/// Loops are left to the simulator: a loop may contain a consumer for a tile of
/// each turn.
static LogicalResult verifyPendingTile(Value tile) {
  SmallVector<Operation *> users(tile.getUsers());
  for (auto [index, user] : llvm::enumerate(users))
    for (Operation *other : ArrayRef(users).drop_front(index + 1))
      if (!excludeEachOther(user, other)) {
        // The list of uses begins with the last one that was made.
        InFlightDiagnostic diagnostic =
            user->emitOpError("consumes a pending tile that something else "
                              "consumes as well; use the tile that "
                              "'sm.mma.await' yields");
        diagnostic.attachNote(other->getLoc()) << "consumed here";
        return diagnostic;
      }
  return success();
}

LogicalResult sm::verifyPendingTiles(KernelOp kernel) {
  auto verify = [](ValueRange values) -> LogicalResult {
    for (Value value : values)
      if (isa<PendingType>(value.getType()) && failed(verifyPendingTile(value)))
        return failure();
    return success();
  };
  WalkResult result = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    if (failed(verify(op->getResults())))
      return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(verify(block.getArguments())))
          return failure();
    return success();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

LogicalResult sm::verifyAddresses(KernelOp kernel) {
  std::optional<int64_t> available = kernel.getSharedMemory();
  WalkResult result = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    auto memory = dyn_cast<SharedMemoryOpInterface>(op);
    // Addresses of scratch memory are attributes, which are checked as such.
    if (!memory || memory.isScratch() || !memory.getSharedAddress())
      return success();
    int64_t address = *memory.getSharedAddress();
    int64_t bytes = memory.getSharedBytes();
    int64_t alignment = memory.getSharedAlignment();
    if (address < 0 || address % alignment != 0)
      return op->emitOpError() << "expected an address in multiples of "
                               << alignment << " bytes, got " << address;
    if (available && address > *available - bytes)
      return op->emitOpError()
             << "has no room for its " << bytes << " bytes at address "
             << address << "; the kernel has " << *available
             << " bytes of shared memory";
    return success();
  });
  return failure(result.wasInterrupted());
}

LogicalResult sm::verifyBesideRoles(Operation *op) {
  if (isa<KernelOp>(op->getParentOp()))
    return success();
  return op->emitOpError() << "expected to be in kernel scope, outside of "
                              "roles";
}
