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

#include "llvm/ADT/SmallVector.h"

#include <tuple>

namespace tessera::sim {

/// A moment: a step of a warp, or an asynchronous operation as a whole.
struct Moment {
  enum Kind : uint8_t { None, Step, Async };
  Kind kind = None;
  /// The warp, numbered through the cluster; unused for asynchronous ones.
  uint16_t warp = 0;
  /// The number of the step, or of the asynchronous operation; both from 1.
  uint32_t number = 0;

  static Moment step(unsigned warp, uint32_t number) {
    return {Step, uint16_t(warp), number};
  }
  static Moment async(uint32_t number) { return {Async, 0, number}; }

  friend bool operator==(const Moment &a, const Moment &b) {
    return std::tie(a.kind, a.warp, a.number) ==
           std::tie(b.kind, b.warp, b.number);
  }
  friend bool operator!=(const Moment &a, const Moment &b) { return !(a == b); }
};

class Clock {
public:
  explicit Clock(unsigned warps = 0) : steps(warps, 0) {}

  /// Whether the moment is known to have happened; nothing at all always has.
  bool knows(Moment moment) const {
    switch (moment.kind) {
    case Moment::None:
      return true;
    case Moment::Step:
      return steps[moment.warp] >= moment.number;
    case Moment::Async:
      return isComplete(moment.number);
    }
    return false;
  }
  void join(const Clock &other);
  void setStep(unsigned warp, uint32_t step) { steps[warp] = step; }
  uint32_t getStep(unsigned warp) const { return steps[warp]; }
  void add(uint32_t asyncNumber);

private:
  static constexpr uint32_t kWord = 64;

  bool isComplete(uint32_t asyncNumber) const {
    if (asyncNumber < base)
      return true;
    uint32_t bit = asyncNumber - base;
    return bit / kWord < window.size() &&
           (window[bit / kWord] >> (bit % kWord) & 1);
  }
  void dropFullWords();

  SmallVector<uint32_t, 16> steps;
  /// All operations below `base` are complete; of those from there on, one bit
  /// each. So a clock stays small however many operations a kernel starts.
  uint32_t base = 1;
  SmallVector<uint64_t, 2> window;
};

/// The clocks of an agent or barrier; see docs/design/simulator.md, "Time".
struct Clocks {
  Clock seen, fenced;
  /// What is fenced in global memory: fences may be for shared memory alone.
  Clock fencedGlobal;

  explicit Clocks(unsigned warps = 0)
      : seen(warps), fenced(warps), fencedGlobal(warps) {}
  void join(const Clocks &other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
    fencedGlobal.join(other.fencedGlobal);
  }
  /// A proxy fence for shared memory.
  void fence() { fenced = seen; }
  /// One for global memory.
  void fenceGlobal() { fencedGlobal = seen; }
  /// An asynchronous operation was seen to be complete.
  void add(uint32_t asyncNumber) {
    seen.add(asyncNumber);
    fenced.add(asyncNumber);
    fencedGlobal.add(asyncNumber);
  }
  /// The same of one that goes through the generic proxy.
  void addGeneric(uint32_t asyncNumber) { seen.add(asyncNumber); }
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_CLOCK_H
