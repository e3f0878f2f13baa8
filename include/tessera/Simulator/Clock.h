//===- Clock.h - What has happened before -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks (Lamport's happened-before, as in FastTrack): for each warp of
// the CTAs that run together the last of its steps that is known to have
// happened, and the set of asynchronous operations known to be complete.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_CLOCK_H
#define TESSERA_SIMULATOR_CLOCK_H

#include "tessera/Support/LLVM.h"

#include "llvm/ADT/BitVector.h"

namespace tessera::sim {

/// A moment: a step of a warp, or an asynchronous operation as a whole.
struct Moment {
  enum Kind : uint8_t { None, Step, Async };
  Kind kind = None;
  /// The warp, numbered through the cluster; unused for asynchronous ones.
  uint16_t warp = 0;
  /// The number of the step (from 1), or of the asynchronous operation.
  uint32_t number = 0;
};

class Clock {
public:
  explicit Clock(unsigned warps = 0) : steps(warps, 0) {}

  bool knows(Moment moment) const;
  void join(const Clock &other);
  void setStep(unsigned warp, uint32_t step) { steps[warp] = step; }
  uint32_t getStep(unsigned warp) const { return steps[warp]; }
  void add(uint32_t asyncNumber);

private:
  SmallVector<uint32_t, 16> steps;
  llvm::BitVector complete;
};

/// The two clocks of an agent or barrier; see docs/design/simulator.md, "Time".
struct Clocks {
  Clock seen, fenced;

  explicit Clocks(unsigned warps = 0) : seen(warps), fenced(warps) {}
  void join(const Clocks &other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
  }
  /// A proxy fence.
  void fence() { fenced = seen; }
  /// An asynchronous operation was seen to be complete.
  void add(uint32_t asyncNumber) {
    seen.add(asyncNumber);
    fenced.add(asyncNumber);
  }
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_CLOCK_H
