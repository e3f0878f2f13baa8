//===- ProgramOrder.cpp - Order between programs ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Happens-before between programs by release sequences: an atomic operation
// keeps the release of the place that it changes, whatever its own order.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/ProgramOrder.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::sim;

using Kind = ProgramOrder::Kind;

static bool conflict(Kind one, Kind other) {
  return one == Kind::Write || other == Kind::Write || one != other;
}

/// Checks whether an agent of `program` with these clocks knows an access.
static bool isKnown(const ProgramOrder::Access &access, uint32_t program,
                    const Clocks &clocks) {
  return access.program == program
             ? clocks.seen.knows(access.when)
             : clocks.others.knows(access.program, access.when);
}

std::optional<ProgramOrder::Access>
ProgramOrder::find(Memory memory, int64_t place, const Access &access,
                   const Clocks &clocks) const {
  auto found = places.find({memory, place});
  if (found == places.end())
    return std::nullopt;
  for (const Access &earlier : found->second.accesses)
    if (earlier.program != access.program &&
        conflict(earlier.kind, access.kind) &&
        !isKnown(earlier, access.program, clocks))
      return earlier;
  return std::nullopt;
}

void ProgramOrder::record(Memory memory, int64_t place, const Access &access,
                          const Clocks &clocks) {
  Place &state = places[{memory, place}];
  llvm::erase_if(state.accesses, [&](const Access &earlier) {
    bool isOfSameOp =
        earlier.program == access.program && earlier.when == access.when;
    return (access.kind == Kind::Write || access.kind == earlier.kind) &&
           (isOfSameOp || isKnown(earlier, access.program, clocks));
  });
  state.accesses.push_back(access);
  if (access.kind == Kind::Write)
    state.released = OtherPrograms();
}

void ProgramOrder::synchronize(Memory memory, int64_t place, AtomicOrder order,
                               bool changes, uint32_t program,
                               const Clocks &clocks, OtherPrograms &acquired) {
  OtherPrograms &released = places[{memory, place}].released;
  if (order.acquires)
    acquired.join(released);
  if (!order.releases || !changes)
    return;
  released.join(clocks.others);
  released.add(program, clocks.seen);
}
