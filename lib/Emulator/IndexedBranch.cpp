//===- IndexedBranch.cpp - Branches by a number -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "brx.idx": threads of a warp may go as many ways as there are
// targets.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Warp.h"

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
  // Where threads go, in the order of the first of each.
  SmallVector<std::pair<unsigned, Lanes>, 4> ways;
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
        ways, [&](const auto &way) { return way.first == target; });
    if (way == ways.end())
      ways.push_back({target, Lanes(1) << lane});
    else
      way->second |= Lanes(1) << lane;
  });
  if (outcome != Outcome::Done)
    return outcome;
  if (ways.size() == 1) {
    split.next = ways.front().first;
    settle(split);
    return Outcome::Done;
  }
  Split *parent = &split;
  unsigned meet = op->meet;
  SmallVector<Split *, 4> children;
  ArrayRef<std::pair<unsigned, Lanes>> rest = ways;
  if (meet == kNowhere || meet == split.meet) {
    // They meet where it would have met others anyway.
    parent = split.parent;
    meet = split.meet;
    split.next = ways.front().first;
    split.lanes = ways.front().second;
    children.push_back(&split);
    rest = rest.drop_front();
  } else {
    split.next = meet;
    split.lanes = 0;
  }
  for (auto [target, lanes] : rest) {
    if (parent)
      ++parent->children;
    Split &child = splits.emplace_back();
    child = {lanes, target, meet, parent};
    children.push_back(&child);
  }
  for (Split *child : children)
    settle(*child);
  return Outcome::Done;
}
