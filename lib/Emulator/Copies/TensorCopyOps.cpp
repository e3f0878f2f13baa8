//===- TensorCopyOps.cpp - Copies of boxes of tensors -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "cp.async.bulk.tensor" and "cp.reduce.async.bulk.tensor". A copy is
// recorded at issue and takes effect later, like bulk copies. A load completes
// the bytes of the whole box at the mbarrier, including those out of bounds,
// which it fills. A store or reduction skips bytes out of bounds, and belongs
// to a bulk group.
//
//===----------------------------------------------------------------------===//

#include "Barriers/MbarrierOps.h"
#include "CopyOps.h"
#include "TensorBox.h"

#include "tessera/Emulator/TensorCopyMode.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
using llvm::Error;
using llvm::Twine;

/// Collects the pieces in both memories.
static void getPieces(const TensorBox &box, std::vector<Piece> &shared,
                      std::vector<Piece> &global) {
  box.visit([&](const TensorCopyPiece &piece) {
    shared.push_back({piece.shared, piece.bytes});
    if (piece.global)
      global.push_back({*piece.global, piece.bytes});
  });
}

/// Copies from global to shared memory of one CTA, or of the CTAs in a mask, at
/// the same address and barrier in each.
static Outcome load(Warp &warp, unsigned lane,
                    const TensorCopyOperands &operands) {
  Cluster &cluster = warp.getCluster();
  TensorBox box;
  Located target;
  if (Outcome outcome = getBox(warp, operands, lane, box, target);
      outcome != Outcome::Done)
    return outcome;
  uint64_t barrierAddress =
      warp.at(operands.barrier.base)[lane] + operands.barrier.offset;
  SmallVector<Cta *, 4> targets{target.cta};
  if (operands.mask) {
    uint64_t mask = warp.at(*operands.mask)[lane] & 0xffff;
    targets.clear();
    for (unsigned i = 0; i < 16; ++i)
      if (mask >> i & 1) {
        if (i >= cluster.getCtas().size())
          return warp.fail("the mask has CTA " + Twine(i) +
                               ", which the cluster does not have",
                           lane);
        targets.push_back(cluster.getCtas()[i].get());
      }
  }
  uint32_t number = cluster.startAsync();
  Cluster::Kind reads{sim::Moment::async(number), sim::Proxy::Async};
  Cluster::Kind writes = reads;
  writes.isWrite = true;
  std::vector<Piece> shared, global;
  getPieces(box, shared, global);
  if (Outcome outcome = cluster.recordGlobal(warp, reads, global);
      outcome != Outcome::Done)
    return outcome;
  SmallVector<Located, 4> barriers;
  for (Cta *cta : targets) {
    Located &there = barriers.emplace_back();
    if (!findMbarrier(warp, Space::Shared, barrierAddress, lane, there))
      return Outcome::Failed;
    // With a mask, the barrier is at this address in each CTA.
    if (operands.mask)
      there.cta = cta;
    if (Outcome outcome = checkMbarrierFence(warp, there, lane);
        outcome != Outcome::Done)
      return outcome;
    if (Outcome outcome = cluster.recordShared(warp, *cta, writes, shared);
        outcome != Outcome::Done)
      return outcome;
    cluster.expectWait(number, &warp.getOp(), *cta);
  }
  Warp *issuer = &warp;
  const Op *op = &warp.getOp();
  cluster.start(
      {number, op, issuer, [=] {
         GlobalMemory &memory = issuer->getCluster().getRun().memory;
         std::vector<uint8_t> bytes;
         for (Cta *cta : targets)
           box.visit([&](const TensorCopyPiece &piece) {
             bytes.assign(piece.bytes, 0);
             if (piece.global) {
               Allocation *from = memory.find(*piece.global, piece.bytes);
               std::copy_n(from->bytes.begin() +
                               (*piece.global - from->address),
                           piece.bytes, bytes.begin());
             } else {
               box.map.fillOutOfBounds(bytes);
             }
             cta->getMemory().write(piece.shared, bytes);
           });
         for (const Located &there : barriers)
           if (Outcome outcome = completeLater(*issuer, *op, there,
                                               box.map.getBoxBytes(), number);
               outcome != Outcome::Done)
             return outcome;
         return Outcome::Done;
       }});
  return Outcome::Done;
}

/// Copies from shared to global memory; `reduction` is the operation, if not
/// empty.
static Outcome store(Warp &warp, unsigned lane,
                     const TensorCopyOperands &operands,
                     const std::string &reduction) {
  Cluster &cluster = warp.getCluster();
  TensorBox box;
  Located source;
  if (Outcome outcome = getBox(warp, operands, lane, box, source);
      outcome != Outcome::Done)
    return outcome;
  uint32_t number = cluster.startAsync();
  Cluster::Kind reads{sim::Moment::async(number), sim::Proxy::Async};
  // No agent can wait for a write to global memory.
  Cluster::Kind writes{sim::Moment::async(cluster.startUnawaited()),
                       sim::Proxy::Async, /*isWrite=*/true,
                       /*isAtomic=*/!reduction.empty()};
  std::vector<Piece> shared, global;
  std::vector<uint8_t> values;
  box.visit([&](const TensorCopyPiece &piece) {
    // Bytes out of bounds are neither written nor read.
    if (!piece.global)
      return;
    shared.push_back({piece.shared, piece.bytes});
    global.push_back({*piece.global, piece.bytes});
  });
  if (Outcome outcome = cluster.recordShared(warp, *source.cta, reads, shared);
      outcome != Outcome::Done)
    return outcome;
  for (const Piece &piece : shared)
    llvm::append_range(
        values, source.cta->getMemory().read(piece.address, piece.bytes));
  if (Outcome outcome =
          cluster.recordGlobal(warp, writes, global, values.data());
      outcome != Outcome::Done)
    return outcome;
  warp.bulkCopies[lane].open.push_back(number);
  // Shared memory exists as long as its CTA.
  cluster.expectWait(number, &warp.getOp(), *source.cta);
  Warp *issuer = &warp;
  const Op *op = &warp.getOp();
  Run *launch = &cluster.getRun();
  Cta *cta = source.cta;
  cluster.start(
      {number, op, issuer, [=] {
         Outcome outcome = Outcome::Done;
         box.visit([&](const TensorCopyPiece &piece) {
           if (!piece.global)
             return;
           Located to;
           to.allocation = launch->memory.find(*piece.global, piece.bytes);
           to.offset = *piece.global - to.allocation->address;
           llvm::ArrayRef<uint8_t> from =
               cta->getMemory().read(piece.shared, piece.bytes);
           if (reduction.empty()) {
             to.write(from);
             return;
           }
           std::vector<uint8_t> sum(piece.bytes);
           to.read(*launch, sum);
           if (Error error = reduceElements(reduction, box.map.type, sum, from);
               error) {
             std::string text = llvm::toString(std::move(error));
             if (outcome == Outcome::Done)
               outcome = issuer->failAt(*op, text);
             return;
           }
           to.write(sum);
         });
         return outcome;
       }});
  return Outcome::Done;
}

Error emu::decodeTensorCopy(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  if (Error error = verifyTensorCopyMode(instruction.parts))
    return decoder.makeError(llvm::toString(std::move(error)));
  bool isStore = instruction.has("bulk_group");
  bool isReduction = instruction.has("reduce");
  std::string reduction;
  TensorCopyOperands operands;
  for (StringRef part : instruction.parts) {
    if (part.size() == 2 && part[1] == 'd')
      operands.rank = part[0] - '0';
    if (isReduction &&
        llvm::is_contained(
            {"add", "min", "max", "inc", "dec", "and", "or", "xor"}, part))
      reduction = part.str();
  }
  bool isMulticast = instruction.has("multicast::cluster");
  size_t least = isStore ? 2 : 3 + isMulticast;
  if (Error error = decoder.expectOperands(least, least + 1))
    return error;
  const Operand &tensor = decoder.getOperand(isStore ? 0 : 1);
  if (tensor.kind != Operand::Address || tensor.elements.size() != 2 ||
      tensor.elements[1].kind != Operand::Vector ||
      tensor.elements[1].elements.size() != operands.rank ||
      (isReduction && reduction.empty()))
    return decoder.makeError("unknown form of '" + instruction.name + "'");
  TESSERA_EMU_TRY(map, decoder.getPlace(tensor));
  TESSERA_EMU_TRY(shared,
                  decoder.getPlace(decoder.getOperand(isStore ? 1 : 0)));
  operands.map = map;
  operands.shared = shared;
  TESSERA_EMU_TRY(coordinates,
                  decoder.getSources(tensor.elements[1], Type::B32));
  operands.coordinates.assign(coordinates.begin(), coordinates.end());
  if (!isStore) {
    TESSERA_EMU_TRY(barrier, decoder.getPlace(decoder.getOperand(2)));
    operands.barrier = barrier;
    if (isMulticast) {
      TESSERA_EMU_TRY(mask,
                      decoder.getSource(decoder.getOperand(3), Type::B16));
      operands.mask = mask;
    }
  }
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Outcome outcome = Outcome::Done;
    forEachLane(lanes, [&](unsigned lane) {
      if (outcome == Outcome::Done)
        outcome = isStore ? store(warp, lane, operands, reduction)
                          : load(warp, lane, operands);
    });
    return outcome;
  };
  return Error::success();
}
