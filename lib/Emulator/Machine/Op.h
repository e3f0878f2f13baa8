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

/// An index in a warp's register file: registers, then values that are constant
/// for a warp (numbers, addresses of symbols, special registers). Each slot has
/// 32 lanes.
using Slot = uint32_t;
/// A bit for each thread of a warp.
using Lanes = uint32_t;
inline constexpr unsigned kLanes = 32;
inline constexpr Lanes kAllLanes = ~Lanes(0);

enum class Outcome : uint8_t {
  Done,
  Blocked, // nothing has changed; try again later
  Yielded, // done; polls until another agent acts
  Failed,  // reported
};

/// The action of an instruction for these threads. Results are in `Op::writes`.
using Action = std::function<Outcome(Warp &, Lanes)>;

struct Op {
  enum class Flow : uint8_t { Next, Branch, Switch, Exit };

  const Instruction *source = nullptr;
  /// The slots that the action reads and writes in each thread.
  SmallVector<Slot, 4> reads, writes;
  /// The first `passing` slots of `reads` may be unwritten registers. Results
  /// that depend on them then count as unwritten; only their use is a defect.
  unsigned passing = 0;
  /// The slots of `reads` that products of the kernel write.
  SmallVector<Slot, 0> accumulatorReads;
  /// Whether the registers are accumulators and operands of products, which
  /// have their own rules.
  bool hasOwnRegisterRules = false;
  bool isGuarded = false, guardIsNegated = false;
  Slot guard = 0;
  Flow flow = Flow::Next;
  /// For a branch: its target, and the point of reconvergence.
  unsigned target = 0, meet = 0;
  /// For an indexed branch: the slot of the index, and the targets.
  Slot index = 0;
  SmallVector<unsigned, 1> targets;
  /// Whether other agents can observe it: a schedule may choose when it
  /// happens.
  bool isVisible = false;
  /// Whether it affects other agents by the bytes of memory alone, apart from
  /// the order of the agents.
  bool isQuiet = false;
  /// Whether it acquires or releases, which orders clusters.
  bool isOrdered = false;
  /// Whether all threads of the warp must execute it together (`.aligned`).
  bool isAligned = false;
  Action action;
};

/// Calls `function(lane)` for each of these lanes.
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
