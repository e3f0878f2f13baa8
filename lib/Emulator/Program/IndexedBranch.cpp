//===- IndexedBranch.cpp - Branches by a number -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "brx.idx": threads of a warp may take any number of the targets. The
// threads are grouped by target, and the split is divided into these groups.
//
//===----------------------------------------------------------------------===//

#include "Machine/Decoder.h"
#include "Machine/Warp.h"

#include "tessera/Emulator/ControlFlow.h"

using namespace tessera::emu;
using llvm::Error;
using llvm::Twine;

Error Decoder::decodeIndexedBranch(unsigned index) {
  if (getInstruction().name != "brx.idx" &&
      getInstruction().name != "brx.idx.uni")
    return makeError("unknown instruction '" + getInstruction().name + "'");
  if (Error error = expectOperands(2, 2))
    return error;
  TESSERA_EMU_TRY(source, getSource(getOperand(0), Type::U32));
  op->flow = Op::Flow::Switch;
  op->index = source;
  op->targets = kernel.targets[index];
  op->meet = meets[index];
  return Error::success();
}

Outcome Warp::branchIndexed(Split &split, Lanes taken) {
  for (Slot slot : op->reads)
    if (taken & ~written[slot])
      return useUnwritten(slot, taken, /*passes=*/false);
  // The targets, in the order of the first thread of each.
  SmallVector<Way, 4> ways;
  Outcome outcome = Outcome::Done;
  forEachLane(split.lanes, [&](unsigned lane) {
    unsigned target = split.next + 1;
    if (taken >> lane & 1) {
      uint64_t number = at(op->index)[lane];
      if (number >= op->targets.size()) {
        if (outcome == Outcome::Done)
          outcome = fail("goes to target " + Twine(number) + " of " +
                             Twine(op->targets.size()),
                         lane);
        return;
      }
      target = op->targets[number];
    }
    auto way = llvm::find_if(
        ways, [&](const Way &way) { return way.target == target; });
    if (way == ways.end())
      ways.push_back({target, Lanes(1) << lane});
    else
      way->lanes |= Lanes(1) << lane;
  });
  if (outcome != Outcome::Done)
    return outcome;
  part(split, ways);
  return Outcome::Done;
}
