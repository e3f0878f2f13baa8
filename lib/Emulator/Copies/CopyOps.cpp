//===- CopyOps.cpp - Dispatch and groups of copies --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes asynchronous copies by the parts of their names, and implements
// groups: each thread has open copies and a queue of committed groups. A wait
// blocks until the copies of all but the last N groups of its threads are
// complete, then adds them to the clocks of the warp.
//
//===----------------------------------------------------------------------===//

#include "CopyOps.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Error;

Error emu::decodeCommit(Decoder &decoder, bool isBulk) {
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    forEachLane(lanes, [&](unsigned lane) {
      CopyGroups &copies =
          isBulk ? warp.bulkCopies[lane] : warp.threadCopies[lane];
      copies.groups.push_back(std::move(copies.open));
      copies.open.clear();
    });
    return Outcome::Done;
  };
  return Error::success();
}

/// Waits until at most the last N groups are in flight. For copies that read
/// shared memory, `.read` waits until they have read.
Error emu::decodeWaitGroup(Decoder &decoder, bool isBulk) {
  const Instruction &instruction = decoder.getInstruction();
  bool isAll = instruction.has("wait_all");
  if (Error error = decoder.expectOperands(!isAll, !isAll))
    return error;
  uint64_t pending = 0;
  if (!isAll) {
    if (decoder.getOperand(0).kind != Operand::Integer)
      return decoder.makeError("expected a number of groups");
    pending = decoder.getOperand(0).bits;
  }
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Cluster &cluster = warp.getCluster();
    bool isReady = true;
    auto getWaited = [&](unsigned lane) {
      CopyGroups &copies =
          isBulk ? warp.bulkCopies[lane] : warp.threadCopies[lane];
      if (isAll && !copies.open.empty()) {
        copies.groups.push_back(std::move(copies.open));
        copies.open.clear();
      }
      return std::pair(&copies, copies.groups.size() > pending
                                    ? copies.groups.size() - pending
                                    : 0);
    };
    forEachLane(lanes, [&](unsigned lane) {
      auto [copies, count] = getWaited(lane);
      for (size_t i = 0; i < count; ++i)
        for (uint32_t number : copies->groups[i])
          isReady &= !cluster.isInFlight(number);
    });
    if (!isReady)
      return warp.block("copies in flight");
    forEachLane(lanes, [&](unsigned lane) {
      auto [copies, count] = getWaited(lane);
      for (size_t i = 0; i < count; ++i)
        for (uint32_t number : copies->groups[i]) {
          if (isBulk)
            warp.see(number);
          else
            warp.seeGeneric(number);
        }
      copies->groups.erase(copies->groups.begin(),
                           copies->groups.begin() + count);
    });
    return Outcome::Done;
  };
  return Error::success();
}

static Error decodeCopy(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  bool isBulk = instruction.has("bulk");
  if (!instruction.has("async"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  if (instruction.has("commit_group"))
    return decodeCommit(decoder, isBulk);
  if (instruction.has("wait_group") || instruction.has("wait_all"))
    return decodeWaitGroup(decoder, isBulk);
  if (instruction.has("prefetch")) {
    decoder.getOp().action = [](Warp &, Lanes) { return Outcome::Done; };
    return Error::success();
  }
  if (!isBulk)
    return decodeThreadCopy(decoder);
  return instruction.has("tensor") ? decodeTensorCopy(decoder)
                                   : decodeBulkCopy(decoder);
}

void emu::addCopyOps(DecodeTable &table) { table["cp"] = decodeCopy; }
