//===- Clock.h - Vector clocks ----------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vector clocks (Lamport's happened-before relation, as in FastTrack). A clock
// holds, for each warp of the CTAs that run concurrently, its last step that is
// known to have happened. It also holds the set of asynchronous operations that
// are known to be complete.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_CLOCK_H
#define TESSERA_SIMULATOR_CLOCK_H

#include "tessera/Support/LLVM.h"

#include "llvm/ADT/SmallVector.h"

#include <map>
#include <memory>
#include <tuple>

namespace tessera::sim {

/// A moment: a step of a warp, or an asynchronous operation as a whole.
struct Moment {
  enum Kind : uint8_t { None, Step, Async };
  Kind kind = None;
  /// The warp, numbered within the cluster; unused for asynchronous operations.
  uint16_t warp = 0;
  /// Number of the step, or of the asynchronous operation, from 1.
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

  /// Checks whether the moment is known to have happened; true for
  /// Moment::None.
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
  /// All operations below `base` are complete; `window` has one bit for each
  /// operation from `base` on. A clock thus stays small, however many
  /// operations a kernel starts.
  uint32_t base = 1;
  SmallVector<uint64_t, 2> window;
};

/// The accesses of other programs that an agent knows to have happened: it has
/// acquired what they released, directly or through a third program.
class OtherPrograms {
public:
  bool knows(uint32_t program, Moment moment) const;
  void join(const OtherPrograms &other);
  /// Adds what `seen`, a clock of an agent of `program`, contains.
  void add(uint32_t program, const Clock &seen);
  bool isEmpty() const { return !clocks; }

private:
  using ClockOfProgram = std::map<uint32_t, Clock>;
  /// Shared by the agents that know the same; null if nothing is known.
  std::shared_ptr<const ClockOfProgram> clocks;
};

/// The clocks of an agent or barrier; see docs/design/simulator.md, "Time".
struct Clocks {
  Clock seen, fenced;
  /// Generic writes to global memory that are fenced: a fence may apply to
  /// shared memory alone.
  Clock fencedGlobal;
  /// Accesses of other programs to global memory.
  OtherPrograms others;

  explicit Clocks(unsigned warps = 0)
      : seen(warps), fenced(warps), fencedGlobal(warps) {}
  void join(const Clocks &other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
    fencedGlobal.join(other.fencedGlobal);
    others.join(other.others);
  }
  /// Executes a proxy fence for shared memory.
  void fence() { fenced = seen; }
  /// Executes a proxy fence for global memory.
  void fenceGlobal() { fencedGlobal = seen; }
  /// Adds an asynchronous operation that was seen to be complete.
  void add(uint32_t asyncNumber) {
    seen.add(asyncNumber);
    fenced.add(asyncNumber);
    fencedGlobal.add(asyncNumber);
  }
  /// Adds a complete asynchronous operation that uses the generic proxy.
  void addGeneric(uint32_t asyncNumber) { seen.add(asyncNumber); }
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_CLOCK_H
