//===- MoveOps.cpp - Moves, packed words, addresses -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves, packing and unpacking of vectors, and conversions of addresses. A move
// between vectors and words concatenates elements, the first one in the lowest
// bits. Address conversions add or remove the window of a state space
// (AddressSpace.h).
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include "Decoder.h"
#include "Warp.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Error;

/// mov.b64 {a, b}, r and mov.b64 r, {a, b}: the first element has the lowest
/// bits (PTX ISA, "mov").
static Error decodeMove(Decoder &decoder) {
  if (Error error = decoder.expectOperands(2, 2))
    return error;
  const Operand &to = decoder.getOperand(0), &from = decoder.getOperand(1);
  std::optional<Type> type = parseType(decoder.getInstruction().parts.back());
  if (!type)
    return decoder.makeError("expected a type at the end of '" +
                             decoder.getInstruction().name + "'");
  unsigned bits = getBits(*type);
  if (bits > 64)
    return decoder.makeError("registers of 128 bits are not emulated");
  if (to.kind != Operand::Vector && from.kind != Operand::Vector) {
    bool isNegated = from.kind == Operand::Negated;
    TESSERA_EMU_TRY(
        source, decoder.getSource(isNegated ? from.elements[0] : from, *type));
    TESSERA_EMU_TRY(target, decoder.getTarget(to));
    decoder.getOp().passing = 1;
    uint64_t mask = getMask(*type);
    uint64_t flip = isNegated ? 1 : 0;
    decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
      const uint64_t *x = warp.at(source);
      uint64_t *y = warp.at(target);
      forEachLane(lanes,
                  [&](unsigned lane) { y[lane] = (x[lane] ^ flip) & mask; });
      return Outcome::Done;
    };
    return Error::success();
  }
  if (to.kind == Operand::Vector && from.kind == Operand::Vector)
    return decoder.makeError("expected one vector");
  size_t count = (to.kind == Operand::Vector ? to : from).elements.size();
  unsigned part = count ? bits / count : 0;
  if ((part != 8 && part != 16 && part != 32) || part * count != bits)
    return decoder.makeError("'" + decoder.getInstruction().name +
                             "' of a vector is not known");
  Type element = part == 8 ? Type::B8 : part == 16 ? Type::B16 : Type::B32;
  TESSERA_EMU_TRY(
      sources,
      decoder.getSources(from, from.kind == Operand::Vector ? element : *type));
  TESSERA_EMU_TRY(targets, decoder.getTargets(to));
  decoder.getOp().passing = sources.size();
  uint64_t mask = getMask(element);
  if (targets.size() == 1) {
    decoder.getOp().action = [=, target = targets[0]](Warp &warp, Lanes lanes) {
      uint64_t *y = warp.at(target);
      forEachLane(lanes, [&](unsigned lane) {
        uint64_t word = 0;
        for (size_t i = 0; i < sources.size(); ++i)
          word |= (warp.at(sources[i])[lane] & mask) << (i * part);
        y[lane] = word;
      });
      return Outcome::Done;
    };
    return Error::success();
  }
  decoder.getOp().action = [=, source = sources[0]](Warp &warp, Lanes lanes) {
    forEachLane(lanes, [&](unsigned lane) {
      uint64_t word = warp.at(source)[lane];
      for (size_t i = 0; i < targets.size(); ++i)
        warp.at(targets[i])[lane] = word >> (i * part) & mask;
    });
    return Outcome::Done;
  };
  return Error::success();
}

/// cvta and cvta.to: shared memory and parameters have windows of generic
/// addresses.
static Error decodeAddressConversion(Decoder &decoder) {
  if (Error error = decoder.expectOperands(2, 2))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  uint64_t window = 0;
  for (StringRef part : instruction.parts)
    if (part.starts_with("shared"))
      window = kSharedWindow;
    else if (part == "param")
      window = kParamWindow;
    else if (part == "local")
      window = kLocalWindow;
  TESSERA_EMU_TRY(source, decoder.getSource(decoder.getOperand(1), Type::B64));
  TESSERA_EMU_TRY(target, decoder.getTarget(decoder.getOperand(0)));
  uint64_t change = instruction.has("to") ? -window : window;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    const uint64_t *x = warp.at(source);
    uint64_t *y = warp.at(target);
    forEachLane(lanes, [&](unsigned lane) { y[lane] = x[lane] + change; });
    return Outcome::Done;
  };
  return Error::success();
}

/// mapa: the same offset in the shared memory of another CTA of the cluster.
static Error decodeMapa(Decoder &decoder) {
  if (Error error = decoder.expectOperands(3, 3))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  bool isShared = instruction.has("shared::cluster");
  Type type = instruction.has("u64") ? Type::B64 : Type::B32;
  TESSERA_EMU_TRY(place, decoder.getSource(decoder.getOperand(1), type));
  TESSERA_EMU_TRY(rank, decoder.getSource(decoder.getOperand(2), Type::B32));
  TESSERA_EMU_TRY(target, decoder.getTarget(decoder.getOperand(0)));
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Outcome outcome = Outcome::Done;
    forEachLane(lanes, [&](unsigned lane) {
      uint64_t number = warp.at(rank)[lane], address = warp.at(place)[lane];
      if (number >= warp.getClusterSize() && outcome == Outcome::Done)
        outcome = warp.fail("there is no CTA " + llvm::Twine(number) +
                            " in the cluster, which has " +
                            llvm::Twine(warp.getClusterSize()));
      uint64_t window = isShared ? 0 : kSharedWindow;
      uint64_t offset =
          (address - window) & llvm::maskTrailingOnes<uint32_t>(kRankShift);
      warp.at(target)[lane] = window + (offset | (number + 1) << kRankShift);
    });
    return outcome;
  };
  return Error::success();
}

/// isspacep: whether a generic address is in a window.
static Error decodeIsSpace(Decoder &decoder) {
  if (Error error = decoder.expectOperands(2, 2))
    return error;
  StringRef name = decoder.getInstruction().parts.back();
  Space space = name.starts_with("shared")  ? Space::Shared
                : name.starts_with("param") ? Space::Param
                : name == "local"           ? Space::Local
                                            : Space::Global;
  if (space == Space::Global && name != "global")
    return decoder.makeError("unknown instruction '" +
                             decoder.getInstruction().name + "'");
  TESSERA_EMU_TRY(source, decoder.getSource(decoder.getOperand(1), Type::B64));
  TESSERA_EMU_TRY(target, decoder.getTarget(decoder.getOperand(0)));
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    forEachLane(lanes, [&](unsigned lane) {
      uint64_t address = warp.at(source)[lane];
      warp.at(target)[lane] = resolveGeneric(address) == space;
    });
    return Outcome::Done;
  };
  return Error::success();
}

void emu::addMoveOps(DecodeTable &table) {
  table["mov"] = decodeMove;
  table["cvta"] = decodeAddressConversion;
  table["mapa"] = decodeMapa;
  table["isspacep"] = decodeIsSpace;
}
