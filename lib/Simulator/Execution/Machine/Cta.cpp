//===- Cta.cpp - One CTA while it runs --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state that the warps of a CTA share: shared memory, barriers, rings, and
// the groups of the tensor cores. Barriers and rings are created when the first
// warp arrives at their op.
//
// A ring has a full and an empty mbarrier for each slot, with the arrival
// counts of `sm-expand-rings`. An elected producer arrives once, and the copies
// complete bytes. Other producers arrive by warp, for values and for fetches. A
// consumer role releases a slot once for each warpgroup or for each warp.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace tessera;
using namespace tessera::sim;

Cta::Cta(Cluster &cluster, uint32_t rank)
    : cluster(cluster), simulation(cluster.getSimulation()), rank(rank),
      number(cluster.getNumber() * simulation.kernel.getClusterSize() + rank),
      memory(simulation.placement.getSize()) {
  for (int64_t i = 0, e = simulation.kernel.getWarps(); i < e; ++i)
    warps.push_back(std::make_unique<Warp>(*this, i));
}

bool Cta::hasSeen(Moment moment) const {
  return llvm::any_of(warps, [&](const std::unique_ptr<Warp> &warp) {
    return warp->getClocks().seen.knows(moment);
  });
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

NamedBarrier &Cta::getRoleBarrier(sm::RoleOp role) {
  unsigned key = role ? role.getFirstWarp() + 1 : 0;
  int64_t threads = role ? role.getThreads() : simulation.kernel.getThreads();
  return roleBarriers.try_emplace(key, threads, cluster.countWarps())
      .first->second;
}

NamedBarrier &Cta::getGroupBarrier(GroupBarrier kind, unsigned firstWarp,
                                   unsigned warpgroup) {
  // One warpgroup waits for its turn, and another one passes the turn.
  int64_t threads = kind == GroupBarrier::Turn ? 256 : 128;
  return groupBarriers
      .try_emplace({kind, firstWarp, warpgroup}, threads, cluster.countWarps())
      .first->second;
}

int64_t Cta::getMbarriers(Operation *op, int64_t count, int64_t arrivals) {
  auto [it, isNew] = mbarrierNumbers.try_emplace(op, mbarriers.size());
  if (isNew)
    for (int64_t i = 0; i < count; ++i)
      mbarriers.emplace_back(arrivals, cluster.countWarps());
  return it->second;
}

void Cta::noteArrival(const Warp &warp, Operation *op) {
  arrivals[warp.getId()] = {warp.now(), op, const_cast<Warp *>(&warp)};
}

/// Checks whether a copy into a slot of `ring` is a multicast.
static bool hasMulticast(sm::RingAllocOp ring) {
  for (Operation *slot : ring->getUsers())
    for (Operation *tile : slot->getUsers())
      for (Operation *copy : tile->getUsers())
        if (auto start = dyn_cast<sm::CopyStartOp>(copy))
          if (start.getMulticast())
            return true;
  return false;
}

int64_t Cta::getRingNumber(sm::RingAllocOp op) {
  auto [it, isNew] = ringNumbers.try_emplace(op, rings.size());
  if (!isNew)
    return it->second;
  Ring &ring = rings.emplace_back();
  sm::RingType type = op.getType();
  ring.stages = type.getSlots();
  ring.announced.assign(ring.stages, 0);
  int64_t address = simulation.placement.getAddress(op);
  for (sm::SmemType tile : type.getTiles()) {
    address = llvm::alignTo(address, tile.getAlignment());
    ring.tiles.push_back(address);
    ring.bytes.push_back(tile.getBytes());
    address += ring.stages * tile.getBytes();
  }
  ring.isShared = hasMulticast(op);
  ring.isReleasedPerWarp = op.getWarps();
  ring.holdsValues = op.holdsValues();
  ring.holdsFetches = op.holdsFetches();
  // One thread of each warpgroup, or of each warp, releases a slot.
  int64_t warpsPerArrival = ring.isReleasedPerWarp ? 1 : 4, releases = 0;
  int64_t fills = 1;
  llvm::SmallPtrSet<Operation *, 4> users;
  for (Operation *user : op->getUsers()) {
    auto role = user->getParentOfType<sm::RoleOp>();
    if (!role)
      continue;
    // Each warp arrives once for its fetches and once for its values.
    if (isa<sm::RingAcquireOp>(user) && !role.getElected())
      fills = role.getWarps() * (ring.holdsValues && ring.holdsFetches ? 2 : 1);
    if (isa<sm::RingWaitOp>(user) && users.insert(role).second)
      releases += role.getElected()
                      ? 1
                      : llvm::divideCeil(role.getWarps(), warpsPerArrival);
  }
  // In ping-pong, each slot has a single warpgroup as consumer.
  if (llvm::any_of(op->getUsers(), llvm::IsaPred<sm::RingTakeOp>))
    releases = 4 / warpsPerArrival;
  if (ring.isShared)
    releases *= cluster.getCtas().size();
  makeBarriers(ring, fills, releases);
  return it->second;
}

int64_t Cta::getRingNumber(sm::QueueAllocOp op) {
  auto [it, isNew] = ringNumbers.try_emplace(op, rings.size());
  if (!isNew)
    return it->second;
  Ring &ring = rings.emplace_back();
  ring.stages = op.getType().getCount();
  ring.tiles.push_back(simulation.placement.getAddress(op));
  // Each consumer warp releases an entry by itself.
  int64_t arrivals = 0;
  llvm::SmallPtrSet<Operation *, 4> users;
  for (Operation *user : op->getUsers())
    if (isa<sm::QueuePopOp>(user))
      if (auto role = user->getParentOfType<sm::RoleOp>())
        if (users.insert(role).second)
          arrivals += role.getElected() ? 1 : role.getWarps();
  makeBarriers(ring, /*fills=*/1, arrivals);
  return it->second;
}

void Cta::makeBarriers(Ring &ring, int64_t fills, int64_t releases) {
  ring.full = mbarriers.size();
  for (int64_t i = 0; i < ring.stages; ++i)
    mbarriers.emplace_back(fills, cluster.countWarps());
  ring.empty = mbarriers.size();
  for (int64_t i = 0; i < ring.stages; ++i)
    mbarriers.emplace_back(std::max<int64_t>(releases, 1),
                           cluster.countWarps());
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

LogicalResult Cta::verifyEnd() {
  for (auto &[firstWarp, tensorCores] : cores)
    for (Product &product : tensorCores.products)
      if (!hasSeen(Moment::async(product.number)))
        return warps[firstWarp]->report(
            product.op, "the CTA ends before anyone has waited for this "
                        "product");
  if (Operation *draw = simulation.findDraw();
      draw && !simulation.draws.isAtEnd(number))
    return warps.front()->report(
        draw, "CTA " + Twine(number) +
                  " ends before it has drawn the number that is the end: the "
                  "counter would not be 0 for the next launch");
  // Before the expanded form, the cluster barrier at the end is missing.
  if (simulation.kernel.getForm() < sm::Form::Expanded)
    return success();
  for (auto &[id, arrival] : arrivals)
    if (!hasSeen(arrival.when))
      return arrival.warp->report(
          arrival.op, "CTA " + Twine(number) +
                          " may end before this arrives at its barrier; "
                          "expected a sm.cluster.barrier at the end");
  return success();
}
