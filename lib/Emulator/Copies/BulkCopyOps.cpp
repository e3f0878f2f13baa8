//===- BulkCopyOps.cpp - Bulk copies of bytes -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "cp.async.bulk". The accesses of a copy are recorded at issue, under
// its own number. Its effect is a function that the schedule calls later: it
// moves the bytes, then completes them at an mbarrier or in the bulk group of
// the thread.
//
//===----------------------------------------------------------------------===//

#include "Barriers/MbarrierOps.h"
#include "CopyOps.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
using llvm::Error;
using llvm::Twine;

static constexpr uint32_t kAlignment = 16;

/// cp.async.bulk to shared memory: [to], [from], bytes, [mbarrier]; from shared
/// to global memory: [to], [from], bytes, in a bulk group.
Error emu::decodeBulkCopy(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  bool isGroup = instruction.has("bulk_group");
  if (instruction.getRoot() != "cp" || instruction.has("reduce") ||
      instruction.has("multicast::cluster") || instruction.has("cp_mask"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  if (Error error = decoder.expectOperands(isGroup ? 3 : 4, isGroup ? 4 : 5))
    return error;
  // The name has the target space first, then the source space.
  auto isShared = [](StringRef part) { return part.starts_with("shared"); };
  SmallVector<bool, 2> spaces;
  for (StringRef part : llvm::drop_begin(instruction.parts))
    if (isShared(part) || part == "global")
      spaces.push_back(isShared(part));
  if (spaces.size() != 2 || isGroup == spaces[0])
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  Space toSpace = spaces[0] ? Space::Shared : Space::Global;
  Space fromSpace = spaces[1] ? Space::Shared : Space::Global;
  TESSERA_EMU_TRY(to, decoder.getPlace(decoder.getOperand(0)));
  TESSERA_EMU_TRY(from, decoder.getPlace(decoder.getOperand(1)));
  TESSERA_EMU_TRY(size, decoder.getSource(decoder.getOperand(2), Type::B32));
  Decoder::Place barrierPlace;
  if (!isGroup) {
    TESSERA_EMU_TRY(place, decoder.getPlace(decoder.getOperand(3)));
    barrierPlace = place;
  }
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Cluster &cluster = warp.getCluster();
    Run *run = &cluster.getRun();
    Outcome outcome = Outcome::Done;
    forEachLane(lanes, [&](unsigned lane) {
      if (outcome != Outcome::Done)
        return;
      uint32_t bytes = warp.at(size)[lane];
      if (bytes == 0)
        return;
      if (bytes % kAlignment) {
        outcome = warp.fail(
            "expected a multiple of 16 bytes, got " + Twine(bytes), lane);
        return;
      }
      Located target, source, barrier;
      outcome = locate(warp, toSpace, warp.at(to.base)[lane] + to.offset, bytes,
                       kAlignment, lane, target);
      if (outcome == Outcome::Done)
        outcome =
            locate(warp, fromSpace, warp.at(from.base)[lane] + from.offset,
                   bytes, kAlignment, lane, source);
      if (outcome == Outcome::Done && !isGroup)
        if (!findMbarrier(warp, Space::Shared,
                          warp.at(barrierPlace.base)[lane] +
                              barrierPlace.offset,
                          lane, barrier))
          outcome = Outcome::Failed;
      if (!isGroup && outcome == Outcome::Done)
        outcome = checkMbarrierFence(warp, barrier, lane);
      if (outcome != Outcome::Done)
        return;
      uint32_t number = cluster.startAsync();
      Cluster::Kind reads{sim::Moment::async(number), sim::Proxy::Async};
      Cluster::Kind writes = reads;
      writes.isWrite = true;
      // No agent can wait for a write to global memory.
      if (isGroup)
        writes.when = sim::Moment::async(cluster.startUnawaited());
      outcome = record(warp, reads, source, bytes);
      std::vector<uint8_t> buffer(bytes);
      source.read(*run, buffer);
      if (outcome == Outcome::Done)
        outcome = record(warp, writes, target, bytes,
                         isGroup ? buffer.data() : nullptr);
      if (outcome != Outcome::Done)
        return;
      if (isGroup)
        warp.bulkCopies[lane].open.push_back(number);
      // Shared memory exists as long as its CTA.
      cluster.expectWait(number, &warp.getOp(),
                         isGroup ? *source.cta : *target.cta);
      Warp *issuer = &warp;
      const Op *op = &warp.getOp();
      cluster.start({number, op, issuer, [=] {
                       std::vector<uint8_t> bytesNow(bytes);
                       source.read(*run, bytesNow);
                       target.write(bytesNow);
                       return isGroup ? Outcome::Done
                                      : completeLater(*issuer, *op, barrier,
                                                      bytes, number);
                     }});
    });
    return outcome;
  };
  return Error::success();
}
