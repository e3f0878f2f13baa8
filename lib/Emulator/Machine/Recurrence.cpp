//===- Recurrence.cpp - Loops that wait for other programs ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds a deadlock between programs: loops poll for a change of global memory
// that no agent of the cluster makes. Clusters run one after the other, so no
// other agent makes it either, unless the launch is cooperative: then the other
// clusters go on first. A cluster repeats itself if its state recurs, and
// global memory, mbarriers and operations in flight have not changed since. The
// state is the positions, registers and local memory of all warps, and the
// bytes of shared memory. It is compared at a branch back of one warp, the
// leader.
//
// The state is only kept after 64, 128, 256, ... executions of the branch
// without a change, so that other loops take no time. Several equal states are
// required: the state of a barrier is known by the warps that wait there only,
// and a random schedule must have let every warp go on.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera::emu;

/// Number of executions of a branch before states are compared, and of equal
/// states that make a deadlock.
static constexpr uint64_t kFirstKept = 64, kMostEqual = 32;

std::vector<WarpState::Position> Warp::getPositions() const {
  std::vector<WarpState::Position> positions;
  for (const Split &split : splits)
    positions.push_back({split.lanes, split.gathered, split.next, split.meet,
                         split.children, split.hasTicket, split.timedOut});
  return positions;
}

WarpState Warp::getState() const {
  return {getPositions(), values, written, local};
}

bool Warp::isIn(const WarpState &state) const {
  return getPositions() == state.positions && values == state.values &&
         written == state.written && local == state.local;
}

void Recurrence::keep() {
  warps.clear();
  memories.clear();
  for (const Warp *warp : cluster.getWarps())
    warps.push_back(warp->getState());
  for (const std::unique_ptr<Cta> &cta : cluster.getCtas()) {
    llvm::ArrayRef<uint8_t> bytes =
        cta->getMemory().read(0, cta->getSharedBytes());
    memories.emplace_back(bytes.begin(), bytes.end());
  }
  equal = 0;
}

bool Recurrence::isKept() const {
  for (auto [warp, state] : llvm::zip_equal(cluster.getWarps(), warps))
    if (!warp->isIn(state))
      return false;
  for (auto [cta, bytes] : llvm::zip_equal(cluster.getCtas(), memories))
    if (cta->getMemory().read(0, cta->getSharedBytes()) !=
        llvm::ArrayRef<uint8_t>(bytes))
      return false;
  return true;
}

const Op *Recurrence::note(Warp &warp, const Op &branch) {
  Run &run = cluster.getRun();
  if (changes != run.changes || !leader || leader->isFinished()) {
    leader = &warp;
    place = &branch;
    changes = run.changes;
    executions = 0;
    poll = nullptr;
    warps.clear();
    return nullptr;
  }
  if (leader != &warp || place != &branch) {
    // Another loop may be the one that does not end.
    if (++others > 4 * kFirstKept * cluster.getWarps().size()) {
      others = 0;
      leader = nullptr;
    }
    return nullptr;
  }
  others = 0;
  // Loops of copies and of arithmetic do not poll.
  if (++executions < kFirstKept || !poll)
    return nullptr;
  if (warps.empty() || llvm::isPowerOf2_64(executions)) {
    keep();
    return nullptr;
  }
  if (cluster.countEffects() != 0 || !isKept() || ++equal < kMostEqual)
    return nullptr;
  return poll;
}
