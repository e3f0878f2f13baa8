//===- Op.h - A decoded instruction -----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_MACHINE_OP_H
#define TESSERA_LIB_EMULATOR_MACHINE_OP_H

#include "tessera/Emulator/Module.h"

#include <functional>

namespace tessera::emu {

class Warp;

/// A place in a warp's register file: registers, then what is constant for a
/// warp (numbers, addresses of symbols, special registers), each of 32 lanes.
using Slot = uint32_t;
/// A bit for each thread of a warp.
using Lanes = uint32_t;
inline constexpr unsigned kLanes = 32;
inline constexpr Lanes kAllLanes = ~Lanes(0);

enum class Outcome : uint8_t {
  Done,
  Blocked, // nothing has changed; to be tried again
  Yielded, // done, and it may have to be repeated until another agent acts
  Failed,  // reported
};

/// What an instruction does for these threads. Results are in `Op::writes`.
using Action = std::function<Outcome(Warp &, Lanes)>;

struct Op {
  enum class Flow : uint8_t { Next, Branch, Switch, Exit };

  const Instruction *source = nullptr;
  /// What the action reads and writes of each thread.
  SmallVector<Slot, 4> reads, writes;
  /// The first so many of `reads` may be registers that nobody has written:
  /// results that come from them count as written by nobody either, so that
  /// what matters is whether they are used.
  unsigned passing = 0;
  /// Those of `reads` that products write elsewhere.
  SmallVector<Slot, 0> accumulatorReads;
  /// Accumulators and operands of products, which follow rules of their own.
  bool hasOwnRegisterRules = false;
  bool isGuarded = false, guardIsNegated = false;
  Slot guard = 0;
  Flow flow = Flow::Next;
  /// Of a branch: where it goes, and where its threads meet again.
  unsigned target = 0, meet = 0;
  /// Of one by a number: where that lies, and where threads go by it.
  Slot index = 0;
  SmallVector<unsigned, 1> targets;
  /// Others can see it: a schedule may choose when it happens.
  bool isVisible = false;
  /// All threads of the warp must execute it together (`.aligned`).
  bool isAligned = false;
  Action action;
};

/// Calls `function(lane)` for each.
template <typename Function>
inline void forEachLane(Lanes lanes, Function function) {
  if (lanes == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      function(lane);
    return;
  }
  for (; lanes; lanes &= lanes - 1)
    function(unsigned(__builtin_ctz(lanes)));
}

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_MACHINE_OP_H
