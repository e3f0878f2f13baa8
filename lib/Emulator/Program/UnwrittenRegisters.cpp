//===- UnwrittenRegisters.cpp - Values that nobody has written --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guarded instruction leaves its result as it was in the other threads, and
// compilers let these compute on with it, in reductions for example, as long as
// nobody needs what comes of it. So a register that nobody has written may be
// computed with, and is an error where memory, an address, a guard or a product
// gets it; the error is at the instruction that has read it first.
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
