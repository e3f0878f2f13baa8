//===- ThreadCopyOps.cpp - Asynchronous copies of threads -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "cp.async": asynchronous copies of 4 to 16 bytes by threads, through
// the generic proxy. A copy is recorded at issue and takes effect later. It
// belongs to a group of its thread, or a later cp.async.mbarrier.arrive arrives
// at an mbarrier when the copies before it are complete.
//
//===----------------------------------------------------------------------===//

#include "Barriers/MbarrierOps.h"
#include "CopyOps.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
using llvm::Error;

/// cp.async.mbarrier.arrive.noinc: an arrival after the thread's earlier copies
/// are complete. The form without `.noinc`, which expects one more arrival, is
/// not supported.
static Error decodeArrive(Decoder &decoder) {
  if (Error error = decoder.expectOperands(1, 1))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  if (!instruction.has("noinc"))
    return decoder.makeError("'" + instruction.name +
                             "' is known with '.noinc' only");
  Space space = getSpace(instruction);
  TESSERA_EMU_TRY(place, decoder.getPlace(decoder.getOperand(0)));
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Outcome outcome = Outcome::Done;
    forEachLane(lanes, [&](unsigned lane) {
      if (outcome != Outcome::Done)
        return;
      Located barrier;
      if (!findMbarrier(warp, space, warp.at(place.base)[lane] + place.offset,
                        lane, barrier)) {
        outcome = Outcome::Failed;
        return;
      }
      // Agents that wait for the phase see the copies, but no other action of
      // the thread.
      sim::Clocks clocks(warp.getCluster().countWarps());
      SmallVector<uint32_t, 4> numbers;
      CopyGroups &copies = warp.threadCopies[lane];
      llvm::append_range(numbers, copies.open);
      for (auto &group : copies.groups)
        llvm::append_range(numbers, group);
      for (uint32_t number : numbers)
        clocks.addGeneric(number);
      Cluster &cluster = warp.getCluster();
      Warp *issuer = &warp;
      const Op *op = &warp.getOp();
      cluster.start({cluster.startAsync(), op, issuer, [=, &cluster] {
                       for (uint32_t number : numbers)
                         if (cluster.complete(number) == Outcome::Failed)
                           return Outcome::Failed;
                       return arriveLater(*issuer, *op, barrier,
                                          [&](sim::Mbarrier &there) {
                                            return there.arrive(clocks);
                                          });
                     }});
    });
    return outcome;
  };
  return Error::success();
}

/// cp.async.cg.shared.global [to], [from], bytes [, bytes that are read, or a
/// predicate to read none]: the other bytes become zero.
Error emu::decodeThreadCopy(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  if (instruction.has("mbarrier"))
    return decodeArrive(decoder);
  if (Error error = decoder.expectOperands(3, 5))
    return error;
  const Operand &size = decoder.getOperand(2);
  if (size.kind != Operand::Integer ||
      (size.bits != 4 && size.bits != 8 && size.bits != 16))
    return decoder.makeError("expected 4, 8 or 16 bytes");
  uint32_t bytes = size.bits;
  bool hasHint = instruction.has("L2::cache_hint");
  TESSERA_EMU_TRY(to, decoder.getPlace(decoder.getOperand(0)));
  TESSERA_EMU_TRY(from, decoder.getPlace(decoder.getOperand(1)));
  Slot read = decoder.getConstant(bytes);
  bool ignores = false;
  if (instruction.operands.size() > 3u + hasHint) {
    const Operand &operand = decoder.getOperand(3);
    // A predicate means that no bytes are read.
    ignores = operand.kind == Operand::Register &&
              decoder.getKernel().registers[operand.reg].type == Type::Pred;
    TESSERA_EMU_TRY(slot, decoder.getSource(operand, Type::B32));
    read = slot;
  }
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Cluster &cluster = warp.getCluster();
    uint32_t number = cluster.startAsync();
    struct Part {
      Located to, from;
      uint32_t read;
    };
    std::vector<Part> parts;
    SmallVector<Located, 32> targets;
    Outcome outcome = Outcome::Done;
    sim::Moment when = sim::Moment::async(number);
    forEachLane(lanes, [&](unsigned lane) {
      if (outcome != Outcome::Done)
        return;
      Part &part = parts.emplace_back();
      uint64_t size = warp.at(read)[lane];
      if (ignores)
        part.read = size ? 0 : bytes;
      else
        part.read = std::min<uint64_t>(size, bytes);
      outcome = locate(warp, Space::Shared, warp.at(to.base)[lane] + to.offset,
                       bytes, bytes, lane, part.to);
      uint64_t source = warp.at(from.base)[lane] + from.offset;
      if (outcome == Outcome::Done && part.read) {
        outcome =
            locate(warp, Space::Global, source, part.read, 1, lane, part.from);
        if (outcome == Outcome::Done && source % bytes)
          outcome = warp.fail("the source is not aligned to " +
                                  llvm::Twine(bytes) + " bytes",
                              lane);
        if (outcome == Outcome::Done)
          outcome = record(warp, {when}, part.from, part.read);
      }
      targets.push_back(part.to);
      warp.threadCopies[lane].open.push_back(number);
    });
    if (outcome == Outcome::Done)
      outcome = record(warp, {when, sim::Proxy::Generic, /*isWrite=*/true},
                       targets, bytes);
    if (outcome != Outcome::Done)
      return outcome;
    cluster.expectWait(number, &warp.getOp(), warp.getCta());
    Run *run = &cluster.getRun();
    cluster.start({number, &warp.getOp(), &warp, [=] {
                     for (const Part &part : parts) {
                       uint8_t buffer[16] = {};
                       if (part.read)
                         part.from.read(*run, {buffer, part.read});
                       part.to.write({buffer, bytes});
                     }
                     return Outcome::Done;
                   }});
    return Outcome::Done;
  };
  return Error::success();
}
