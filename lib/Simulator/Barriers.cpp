//===- Barriers.cpp - Barriers of the machine -----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mbarrier and NamedBarrier as state machines. Each barrier joins the vector
// clocks of the agents that arrive (`gathering`). When a phase or round
// completes, the joined clocks become those that waiting agents get (`known`).
// This transfers the happened-before relation from arrivals to waits.
//
// Invariant of an mbarrier: the phase completes exactly when no arrivals are
// pending and the announced bytes equal the delivered bytes.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/Barriers.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::sim;

//===----------------------------------------------------------------------===//
// Mbarrier
//===----------------------------------------------------------------------===//

Mbarrier::Mbarrier(int64_t arrivals, unsigned warps)
    : arrivals(arrivals), pending(arrivals), gathering(warps), known(warps) {}

Mbarrier::Defect Mbarrier::arriveExpecting(const Clocks &clocks,
                                           int64_t moreBytes, int64_t threads) {
  if (pending < threads)
    return Defect::TooManyArrivals;
  gathering.join(clocks);
  bytes += moreBytes;
  pending -= threads;
  return finishPhase();
}

Mbarrier::Defect Mbarrier::complete(int64_t someBytes, uint32_t asyncNumber) {
  gathering.add(asyncNumber);
  bytes -= someBytes;
  return finishPhase();
}

Mbarrier::Defect Mbarrier::finishPhase() {
  if (pending != 0)
    return Defect::None;
  // Only an arrival announces bytes, and no arrival is pending.
  if (bytes < 0)
    return Defect::TooManyBytes;
  if (bytes > 0)
    return Defect::None;
  ++phase;
  pending = arrivals;
  // Arrivals of the next phase come after those of this phase at the same
  // object, so they release the same clocks: `gathering` is not reset.
  known = gathering;
  return Defect::None;
}

std::string Mbarrier::str() const {
  std::string text = llvm::formatv("phase {0}: {1} of {2} arrivals have come",
                                   phase, arrivals - pending, arrivals);
  if (bytes > 0)
    text += llvm::formatv(", {0} bytes are to come", bytes);
  if (bytes < 0)
    text += llvm::formatv(", {0} bytes too many have come", -bytes);
  return text;
}

//===----------------------------------------------------------------------===//
// NamedBarrier
//===----------------------------------------------------------------------===//

NamedBarrier::NamedBarrier(int64_t threads, unsigned warps)
    : threads(threads), come(warps), gathering(warps),
      known{Clocks(warps), Clocks(warps)} {}

uint64_t NamedBarrier::arrive(unsigned warp, const Clocks &clocks,
                              int64_t moreThreads) {
  come.set(warp);
  gathering.join(clocks);
  present += moreThreads;
  uint64_t round = rounds;
  if (present < threads)
    return round;
  // The machine counts warps, so threads in excess of a round belong to the
  // next round.
  present -= threads;
  come.reset();
  if (present != 0)
    come.set(warp);
  known[round % 2] = gathering;
  ++rounds;
  return round;
}

std::string NamedBarrier::str() const {
  return llvm::formatv("{0} of {1} threads have come", present, threads);
}
