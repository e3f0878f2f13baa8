//===- UnmetHints.cpp - Hints of a schedule ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnmetHints.h"

#include "tessera/Dialect/Tile/IR/UnmetSchedule.h"

using namespace tessera;
using namespace tessera::sm;

void sm::warnOfOneComputing(KernelOp kernel, const Twine &why) {
  tile::warnOfUnmet(kernel, "pingpong", "one role computes all programs", why,
                    "two roles take turns in a `persistent` kernel that does "
                    "all its work in one loop over programs; warpgroups of one "
                    "role take turns with `warpgroups = 2`",
                    "no-turns");
}

void sm::warnOfExchanges(KernelOp kernel, StringRef why) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule || schedule.getExchange() < 2)
    return;
  tile::warnOfUnmet(
      kernel, "exchange = 2", "no tile gets two slots between warpgroups",
      why.empty() ? "no loop writes a tile that several "
                    "warpgroups multiply"
                  : why,
      "remove it, or take smaller tiles or fewer `stages`", "one-slot");
}

void sm::warnOfSlots(KernelOp kernel, const RingPlan &rings, int64_t wanted,
                     int64_t available, bool remarks) {
  int64_t fewest = wanted;
  for (const PlannedRing &ring : rings.rings)
    if (ring.isInLoop)
      fewest = std::min(fewest, ring.slots);
  if (fewest == wanted)
    return;
  std::string why =
      ("only " + Twine(available) + " bytes of shared memory are left for them")
          .str();
  if (fewest == 1)
    tile::warnOfUnmet(kernel, "stages = " + Twine(wanted),
                      "rings have one slot, and loops wait for each tile", why,
                      "take smaller tiles; `stages = 1` is what these permit",
                      "one-stage");
  else if (remarks)
    kernel.emitRemark() << "rings have " << fewest << " slots instead of "
                        << wanted << ": " << why << " [fewer-stages]";
}

void sm::warnOfOneRole(KernelOp kernel, const Twine &why) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule)
    return;
  std::string reason = ("the kernel stays one role, since " + why).str();
  StringRef change = "leave it away; `--remarks` says at each fetch why no "
                     "other role brings it";
  if (schedule.getPingpong())
    tile::warnOfUnmet(kernel, "pingpong", "warpgroups take no turns", reason,
                      change, "no-turns");
  if (schedule.getLateStores())
    tile::warnOfUnmet(kernel, "late_stores",
                      "products for stores run in their iteration", reason,
                      change, "no-late-stores");
}

void sm::warnOfRegisters(KernelOp kernel, int64_t registers) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule || schedule.getRegisters() <= registers)
    return;
  tile::warnOfUnmet(
      kernel, "registers = " + Twine(schedule.getRegisters()),
      "threads that compute have " + Twine(registers),
      "a launch also allocates registers to the other roles",
      "`registers = " + Twine(registers) +
          "` is what this schedule permits; fewer warpgroups permit more",
      "other-registers");
}
