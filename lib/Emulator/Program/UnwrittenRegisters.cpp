//===- UnwrittenRegisters.cpp - Uses of unwritten registers -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Taint analysis of unwritten registers. A guarded instruction does not change
// its result in the other threads. Compilers let these threads compute with it,
// for example in reductions, and discard the results. An instruction may
// therefore compute with an unwritten register: its results count as unwritten,
// with the first read as their origin. Such a value is an error if it reaches
// memory, an address, a guard or a product. The error is at the origin.
//
//===----------------------------------------------------------------------===//

#include "Machine/Cluster.h"

using namespace tessera::emu;
using llvm::Twine;

Outcome Warp::useUnwritten(Slot slot, Lanes lanes, bool passes) {
  Lanes missing = lanes & ~written[slot];
  auto known = unwritten.find(slot);
  Unwritten origin =
      known == unwritten.end() ? Unwritten{op, slot} : known->second;
  if (passes) {
    unwrittenResults |= missing;
    unwrittenOrigin = origin;
    return Outcome::Done;
  }
  unsigned lane = __builtin_ctz(missing);
  Finding finding{origin.op->source->where,
                  ("reads the register '" +
                   kernel.kernel->registers[origin.slot].name +
                   "', which nobody has written, in thread " +
                   Twine(number * kLanes + lane) + " (" + str() + ")")
                      .str(),
                  {}};
  if (origin.op != op)
    finding.notes.push_back(
        {op->source->where, "what comes of it is used here"});
  getCluster().report(std::move(finding), origin.op, op, 100);
  return Outcome::Failed;
}

void Warp::noteUnwritten() {
  for (Slot slot : op->writes) {
    written[slot] &= ~unwrittenResults;
    unwritten[slot] = unwrittenOrigin;
  }
}
