//===- Cta.cpp - One CTA while it runs --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cta.h"

#include "mlir/IR/Diagnostics.h"

using namespace tessera;
using namespace tessera::sim;

/// Each defect is told once, and of many the first few.
static constexpr size_t kMaxReports = 8;

Cta::Cta(Simulation &simulation, uint32_t number)
    : simulation(simulation), number(number),
      memory(simulation.placement.getSize()) {
  for (int64_t i = 0, e = simulation.kernel.getWarps(); i < e; ++i)
    warps.push_back(std::make_unique<Warp>(*this, i));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Who acts, and what it does: "the tensor cores read", "warp 3 writes".
std::string Cta::describe(const Access &access) const {
  StringRef acts = access.isWrite ? "writes" : "reads";
  if (access.when.kind != Moment::Async)
    return (warps[access.when.warp]->str() + " " + acts).str();
  if (isa<sm::MmaOp, sm::MmaIssueOp>(access.op))
    return "the tensor cores read";
  return ("a tensor copy " + acts).str();
}

LogicalResult Cta::record(Warp &warp, const Access &access,
                          ArrayRef<int64_t> starts, int64_t count,
                          bool changesNothing) {
  std::optional<Conflict> conflict =
      memory.record(access, warp.getClocks(), starts, count);
  if (!conflict)
    return success();
  Operation *op = access.op, *otherOp = conflict->other.op;
  if (changesNothing && conflict->kind == Conflict::Race && otherOp == op)
    return success();
  hasDefects = true;
  std::string what = describe(access) + " byte " +
                     std::to_string(conflict->byte) + " of shared memory";
  if (conflict->kind == Conflict::OutOfBounds)
    return warp.report(op, what + ", which has " + Twine(memory.getSize()) +
                               " bytes");
  if (!reported.insert({op, otherOp, conflict->kind}).second)
    return success();
  // What follows is often a consequence.
  if (reported.size() > kMaxReports)
    return failure();
  switch (conflict->kind) {
  case Conflict::OutOfBounds:
    break;
  case Conflict::Unwritten:
    (void)warp.report(op, what + ", which nobody has written");
    break;
  case Conflict::Race:
    (void)warp.report(op,
                      "race: " + what +
                          ", and nothing orders this and "
                          "what " +
                          describe(conflict->other) + " there",
                      otherOp, "the other side is here");
    break;
  case Conflict::MissingFence:
    (void)warp.report(op,
                      "missing fence: " + what +
                          " behind a write by threads; expected a "
                          "sm.fence between",
                      otherOp, "the write is here");
    break;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Meeting &Cta::getRoleBarrier(sm::RoleOp role) {
  unsigned key = role ? role.getFirstWarp() + 1 : 0;
  int64_t threads = role ? role.getThreads() : simulation.kernel.getThreads();
  return roleBarriers.try_emplace(key, threads, warps.size()).first->second;
}

Meeting &Cta::getGroupBarrier(GroupBarrier kind, unsigned firstWarp,
                              unsigned warpgroup) {
  // A turn is taken by one warpgroup and given by another one.
  int64_t threads = kind == GroupBarrier::Turn ? 256 : 128;
  return groupBarriers
      .try_emplace({kind, firstWarp, warpgroup}, threads, warps.size())
      .first->second;
}

int64_t Cta::getMbarriers(Operation *op, int64_t count, int64_t arrivals) {
  auto [it, isNew] = mbarrierNumbers.try_emplace(op, mbarriers.size());
  if (isNew)
    for (int64_t i = 0; i < count; ++i)
      mbarriers.emplace_back(arrivals, warps.size());
  return it->second;
}

int64_t Cta::getRingNumber(sm::RingAllocOp op) {
  auto [it, isNew] = ringNumbers.try_emplace(op, rings.size());
  if (!isNew)
    return it->second;
  Ring &ring = rings.emplace_back();
  sm::RingType type = op.getType();
  ring.stages = type.getStages();
  ring.announced.assign(ring.stages, 0);
  int64_t address = simulation.placement.getAddress(op);
  for (sm::SmemType tile : type.getTiles()) {
    address = llvm::alignTo(address, tile.getAlignment());
    ring.tiles.push_back(address);
    ring.bytes.push_back(tile.getBytes());
    address += ring.stages * tile.getBytes();
  }
  // One thread of each warpgroup gives a slot back.
  int64_t arrivals = 0;
  llvm::SmallPtrSet<Operation *, 4> users;
  for (Operation *user : op->getUsers())
    if (isa<sm::RingWaitOp>(user))
      if (auto role = user->getParentOfType<sm::RoleOp>())
        if (users.insert(role).second)
          arrivals +=
              role.getElected() ? 1 : llvm::divideCeil(role.getWarps(), 4);
  ring.full = mbarriers.size();
  for (int64_t i = 0; i < ring.stages; ++i)
    mbarriers.emplace_back(1, warps.size());
  ring.empty = mbarriers.size();
  for (int64_t i = 0; i < ring.stages; ++i)
    mbarriers.emplace_back(std::max<int64_t>(arrivals, 1), warps.size());
  return it->second;
}

//===----------------------------------------------------------------------===//
// Asynchronous operations and global memory
//===----------------------------------------------------------------------===//

bool Cta::isInFlight(uint32_t copy) const {
  return llvm::any_of(copies, [&](const Copy &c) { return c.number == copy; });
}

LogicalResult Cta::reportConflict(Operation *op, Warp &warp,
                                  const interp::GlobalTensor &tensor,
                                  int64_t offset,
                                  const interp::Conflict &conflict) {
  hasDefects = true;
  std::string other = conflict.other ? "CTA " + std::to_string(*conflict.other)
                                     : std::string("another CTA");
  return warp.report(op, tensor.describe(offset, conflict, other,
                                         sm::BarrierOp::getOperationName()));
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

LogicalResult Cta::verifyEnd() {
  auto isSeen = [&](uint32_t asyncNumber) {
    return llvm::any_of(warps, [&](const std::unique_ptr<Warp> &warp) {
      return warp->getClocks().seen.knows(Moment::async(asyncNumber));
    });
  };
  for (const auto &[number, op] : loads)
    if (!isSeen(number)) {
      Warp &warp = *warps.front();
      return warp.report(op, "the CTA ends before anyone has waited for this "
                             "copy");
    }
  for (auto &[warpgroup, tensorCores] : cores)
    for (Product &product : tensorCores.products)
      if (!isSeen(product.number))
        return warps[warpgroup]->report(
            product.op, "the CTA ends before anyone has waited for this "
                        "product");
  return failure(hasDefects);
}
