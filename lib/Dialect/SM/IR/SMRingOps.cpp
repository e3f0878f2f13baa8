//===- SMRingOps.cpp - Rings and barriers -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"

#include "tessera/Dialect/SM/IR/ProgramWalk.h"

#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

LogicalResult RingAllocOp::verify() { return verifyBesideRoles(*this); }

/// Checks whether an op of the kind `OpTy` fills a tile of `ring`.
template <typename OpTy>
static bool isFilledBy(RingAllocOp ring) {
  for (Operation *acquire : ring->getUsers())
    if (isa<RingAcquireOp>(acquire))
      for (Operation *tile : acquire->getUsers())
        if (llvm::any_of(tile->getUsers(), llvm::IsaPred<OpTy>))
          return true;
  return false;
}

bool RingAllocOp::holdsValues() { return isFilledBy<SlotStoreOp>(*this); }

bool RingAllocOp::holdsFetches() { return isFilledBy<FetchStartOp>(*this); }

template <typename OpTy>
static LogicalResult verifySlot(OpTy op) {
  auto expected =
      SlotType::get(op.getContext(), op.getRing().getType().getTiles());
  if (op.getSlot().getType() != expected)
    return op.emitOpError() << "expected a slot of the ring, " << Type(expected)
                            << ", got " << Type(op.getSlot().getType());
  return success();
}

LogicalResult RingAcquireOp::verify() {
  if (!(*this)->getParentOfType<RoleOp>())
    return emitOpError() << "expected to be in a role";
  return verifySlot(*this);
}

LogicalResult RingWaitOp::verify() { return verifySlot(*this); }

LogicalResult SlotTileOp::verify() {
  ArrayRef<SmemType> tiles = getSlot().getType().getTiles();
  int64_t index = getIndex();
  if (index < 0 || index >= static_cast<int64_t>(tiles.size()))
    return emitOpError() << "expected a tile from 0 to " << tiles.size() - 1
                         << ", got " << index;
  if (getType() != tiles[index])
    return emitOpError() << "expected the result to be " << Type(tiles[index])
                         << ", got " << Type(getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Checks whether a role of one warpgroup executes `op`.
static LogicalResult verifyTurnOfRole(Operation *op) {
  int64_t warps = getTarget(op).warpsPerWarpgroup;
  auto role = op->getParentOfType<RoleOp>();
  if (role && !role.getElected() &&
      role.getWarps() == static_cast<uint64_t>(warps))
    return success();
  return op->emitOpError() << "expected to be in a role of " << warps
                           << " warps that is not elected";
}

template <typename OpTy>
static LogicalResult verifyTurn(OpTy op) {
  if (op.getRoles())
    return verifyTurnOfRole(op);
  int64_t warps = getWarps(op), group = getTarget(op).warpsPerWarpgroup;
  if (warps % group == 0 && warps / group >= 2)
    return success();
  return op->emitOpError() << "expected at least two warpgroups for "
                              "ping-pong, got "
                           << warps << " warps";
}

LogicalResult PingPongStartOp::verify() {
  if (failed(verifyTurn(*this)))
    return failure();
  auto role = (*this)->getParentOfType<RoleOp>();
  if (getRoles() &&
      getRolesInTurn(role->getParentOfType<KernelOp>()).back() != role)
    return emitOpError() << "expected to be in the last of the ping-pong roles";
  return success();
}
LogicalResult PingPongWaitOp::verify() { return verifyTurn(*this); }
LogicalResult PingPongPassOp::verify() { return verifyTurn(*this); }

/// Verifies that an op that takes or passes rings names each of them once.
template <typename OpTy>
static LogicalResult verifyRings(OpTy op) {
  if (failed(verifyTurnOfRole(op)))
    return failure();
  OperandRange rings = op.getRings();
  if (rings.empty())
    return op.emitOpError() << "expected at least one ring";
  for (auto [index, ring] : llvm::enumerate(rings))
    if (llvm::is_contained(rings.take_front(index), ring))
      return op.emitOpError() << "names a ring twice";
  return success();
}

LogicalResult RingTakeOp::verify() { return verifyRings(*this); }
LogicalResult RingPassOp::verify() { return verifyRings(*this); }

//===----------------------------------------------------------------------===//
// Queues
//===----------------------------------------------------------------------===//

LogicalResult QueueAllocOp::verify() { return verifyBesideRoles(*this); }

LogicalResult QueuePushOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getElected())
    return emitOpError() << "expected to be in an elected role";
  for (Operation *other : getQueue().getUsers())
    if (isa<QueuePushOp>(other) && other->getParentOfType<RoleOp>() != role) {
      InFlightDiagnostic diagnostic = emitOpError()
                                      << "expected one role to push to a queue";
      diagnostic.attachNote(other->getLoc()) << "another one pushes here";
      return diagnostic;
    }
  return success();
}

LogicalResult QueuePopOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role)
    return emitOpError() << "expected to be in a role";
  for (Operation *other : getQueue().getUsers())
    if (isa<QueuePushOp>(other) && other->getParentOfType<RoleOp>() == role) {
      InFlightDiagnostic diagnostic =
          emitOpError() << "expected another role to push what this one pops";
      diagnostic.attachNote(other->getLoc()) << "pushed here";
      return diagnostic;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

LogicalResult WordsAllocOp::verify() { return verifyBesideRoles(*this); }

//===----------------------------------------------------------------------===//
// Memory barriers
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult verifyRing(OpTy op) {
  if (static_cast<int64_t>(op.getRing().value_or(0)) >= 0)
    return success();
  return op.emitOpError() << "expected a ring from 0 on, got "
                          << static_cast<int64_t>(*op.getRing());
}

LogicalResult MbarrierAllocOp::verify() {
  int64_t most = getTarget(*this).mbarrierMaxCount;
  int64_t arrivals = getArrivals();
  if (arrivals < 1 || arrivals > most)
    return emitOpError() << "expected 1 to " << most << " arrivals, got "
                         << arrivals;
  if (getRing().has_value() != getSide().has_value())
    return emitOpError() << "expected 'ring' and 'side' together";
  if (failed(verifyRing(*this)))
    return failure();
  return verifyBesideRoles(*this);
}

LogicalResult MbarrierArriveOp::verify() {
  // C1
  if (getCluster() + getWarps() + getFetches() > 1)
    return emitOpError() << "expected one of 'cluster', 'warps' and 'fetches'";
  // C2
  auto role = (*this)->getParentOfType<RoleOp>();
  if (getFetches() && role && role.getElected())
    return emitOpError() << "arrives for fetches, but the threads of an "
                            "elected role start none";
  // C3
  if (!getAfter().empty() && (getCluster() || getFetches()))
    return emitOpError() << "expected 'after' without 'cluster' and 'fetches'";
  return getCluster() ? verifyInCluster(*this) : success();
}

LogicalResult MbarrierExpectOp::verify() {
  int64_t most = getTarget(*this).mbarrierMaxBytes;
  int64_t bytes = getBytes();
  if (bytes < 0 || bytes > most)
    return emitOpError() << "expected 0 to " << most << " bytes, got " << bytes;
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getElected())
    return emitOpError() << "expected to be in an elected role";
  return success();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

LogicalResult SlotsAllocOp::verify() { return verifyRing(*this); }

LogicalResult SlotAfterOp::verify() {
  int64_t distance = getDistance(), count = getCount();
  if (distance < 1 || distance >= count)
    return emitOpError() << "expected another one of " << count
                         << " slots, got the one " << distance << " after";
  return success();
}

LogicalResult SlotsAtOp::verify() {
  auto after = getIndex().getDefiningOp<SlotAfterOp>();
  int64_t count = getSlots().getType().getCount();
  if (!after || static_cast<int64_t>(after.getCount()) == count)
    return success();
  InFlightDiagnostic diagnostic = emitOpError()
                                  << "expected an index of one of " << count
                                  << " slots, got one of " << after.getCount();
  diagnostic.attachNote(after.getLoc()) << "computed here";
  return diagnostic;
}
