//===- WarpOps.cpp - Exchanges between threads of a warp --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes, reductions and elections. The threads that name the same
// mask form a group, which waits until all of its threads that have not ended
// are present, and then acts at once. A shuffled register may be unwritten; the
// result is then unwritten in the lanes that receive it.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Warp.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Error;
using llvm::Twine;

/// Calls `function(members)` for the threads of each mask: threads with the
/// same mask form a group. Waits until all threads of the group that have not
/// ended are present.
template <typename Function>
static Outcome forEachMask(Warp &warp, Slot mask, Lanes lanes,
                           Function function) {
  SmallVector<Lanes, 4> groups;
  for (Lanes left = lanes; left;) {
    unsigned first = __builtin_ctz(left);
    Lanes wanted = warp.at(mask)[first], members = 0;
    forEachLane(left, [&](unsigned lane) {
      members |= Lanes(Lanes(warp.at(mask)[lane]) == wanted) << lane;
    });
    if (Lanes strangers = members & ~wanted)
      return warp.fail("the mask does not have the thread itself",
                       __builtin_ctz(strangers));
    if (Lanes missing = wanted & warp.getAlive() & ~members) {
      if (missing & warp.getSplit().lanes)
        return warp.fail("the mask has thread " +
                         Twine(__builtin_ctz(missing)) +
                         " of the warp, which does not execute this, or gives "
                         "another mask");
      return warp.block([missing] {
        return "thread " + std::to_string(__builtin_ctz(missing)) +
               " of the warp, which is in the mask and has gone another way";
      });
    }
    groups.push_back(members);
    left &= ~members;
  }
  for (Lanes members : groups)
    if (Outcome outcome = function(members); outcome != Outcome::Done)
      return outcome;
  return Outcome::Done;
}

/// PTX ISA, "shfl.sync".
static Error decodeShuffle(Decoder &decoder) {
  if (Error error = decoder.expectOperands(5, 5))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  enum Mode { Up, Down, Butterfly, Index } mode;
  if (instruction.has("up"))
    mode = Up;
  else if (instruction.has("down"))
    mode = Down;
  else if (instruction.has("bfly"))
    mode = Butterfly;
  else if (instruction.has("idx"))
    mode = Index;
  else
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  const Operand &result = decoder.getOperand(0);
  bool isPair = result.kind == Operand::Pair;
  TESSERA_EMU_TRY(target,
                  decoder.getTarget(isPair ? result.elements[0] : result));
  std::optional<Slot> valid;
  if (isPair) {
    TESSERA_EMU_TRY(slot, decoder.getTarget(result.elements[1]));
    valid = slot;
  }
  TESSERA_EMU_TRY(a, decoder.getSource(decoder.getOperand(1), Type::B32));
  // Threads may pass values that no thread reads.
  bool isRegister = !decoder.getOp().reads.empty();
  decoder.getOp().passing = isRegister;
  TESSERA_EMU_TRY(b, decoder.getSource(decoder.getOperand(2), Type::B32));
  TESSERA_EMU_TRY(c, decoder.getSource(decoder.getOperand(3), Type::B32));
  TESSERA_EMU_TRY(mask, decoder.getSource(decoder.getOperand(4), Type::B32));
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Lanes given = isRegister ? warp.getUnwritten(a) : 0, unwritten = 0;
    Outcome outcome = forEachMask(warp, mask, lanes, [&](Lanes members) {
      uint64_t values[kLanes];
      std::copy_n(warp.at(a), kLanes, values);
      Outcome outcome = Outcome::Done;
      forEachLane(members, [&](unsigned lane) {
        unsigned by = warp.at(b)[lane] & 31, bounds = warp.at(c)[lane];
        unsigned clamp = bounds & 31, segments = bounds >> 8 & 31;
        unsigned least = lane & segments, most = least | (clamp & ~segments);
        int from = lane;
        bool isValid = false;
        switch (mode) {
        case Up:
          from = int(lane) - int(by);
          isValid = from >= int(most);
          break;
        case Down:
          from = lane + by;
          isValid = from <= int(most);
          break;
        case Butterfly:
          from = lane ^ by;
          isValid = from <= int(most);
          break;
        case Index:
          from = least | (by & ~segments);
          isValid = from <= int(most);
          break;
        }
        if (!isValid)
          from = lane;
        if (!(members >> from & 1) && outcome == Outcome::Done)
          outcome = warp.fail("reads from thread " + Twine(from) +
                                  " of the warp, which does not take part",
                              lane);
        warp.at(target)[lane] = values[from];
        unwritten |= (given >> from & 1) << lane;
        if (valid)
          warp.at(*valid)[lane] = isValid;
      });
      return outcome;
    });
    warp.setUnwrittenResults(unwritten);
    return outcome;
  };
  return Error::success();
}

/// elect.sync d|p, mask: one thread of the mask; the emulator elects the first
/// one.
static Error decodeElect(Decoder &decoder) {
  if (Error error = decoder.expectOperands(2, 2))
    return error;
  const Operand &result = decoder.getOperand(0);
  if (result.kind != Operand::Pair)
    return decoder.makeError("expected two results of 'elect.sync'");
  TESSERA_EMU_TRY(leader, decoder.getTarget(result.elements[0]));
  TESSERA_EMU_TRY(isLeader, decoder.getTarget(result.elements[1]));
  TESSERA_EMU_TRY(mask, decoder.getSource(decoder.getOperand(1), Type::B32));
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    return forEachMask(warp, mask, lanes, [&](Lanes members) {
      unsigned first = __builtin_ctz(members);
      forEachLane(members, [&](unsigned lane) {
        warp.at(leader)[lane] = first;
        warp.at(isLeader)[lane] = lane == first;
      });
      return Outcome::Done;
    });
  };
  return Error::success();
}

/// vote.sync and activemask.
static Error decodeVote(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  if (instruction.getRoot() == "activemask") {
    if (Error error = decoder.expectOperands(1, 1))
      return error;
    TESSERA_EMU_TRY(target, decoder.getTarget(decoder.getOperand(0)));
    decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
      forEachLane(lanes, [&](unsigned lane) { warp.at(target)[lane] = lanes; });
      return Outcome::Done;
    };
    return Error::success();
  }
  if (Error error = decoder.expectOperands(3, 3))
    return error;
  const Operand &operand = decoder.getOperand(1);
  bool isNegated = operand.kind == Operand::Negated;
  TESSERA_EMU_TRY(target, decoder.getTarget(decoder.getOperand(0)));
  TESSERA_EMU_TRY(
      source,
      decoder.getSource(isNegated ? operand.elements[0] : operand, Type::Pred));
  TESSERA_EMU_TRY(mask, decoder.getSource(decoder.getOperand(2), Type::B32));
  enum Mode { All, Any, Uniform, Ballot } mode;
  if (instruction.has("all"))
    mode = All;
  else if (instruction.has("any"))
    mode = Any;
  else if (instruction.has("uni"))
    mode = Uniform;
  else if (instruction.has("ballot"))
    mode = Ballot;
  else
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    return forEachMask(warp, mask, lanes, [&](Lanes members) {
      Lanes votes = 0;
      forEachLane(members, [&](unsigned lane) {
        votes |= Lanes(bool(warp.at(source)[lane]) != isNegated) << lane;
      });
      uint64_t result = mode == All       ? votes == members
                        : mode == Any     ? votes != 0
                        : mode == Uniform ? votes == members || votes == 0
                                          : votes;
      forEachLane(members,
                  [&](unsigned lane) { warp.at(target)[lane] = result; });
      return Outcome::Done;
    });
  };
  return Error::success();
}

/// redux.sync of 32-bit integers.
static Error decodeReduction(Decoder &decoder) {
  if (Error error = decoder.expectOperands(3, 3))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  std::optional<Type> type = parseType(instruction.parts.back());
  StringRef name = instruction.parts.size() == 4 ? instruction.parts[2] : "";
  if (!type || getBits(*type) != 32 || isFloat(*type) ||
      !llvm::is_contained({"add", "min", "max", "and", "or", "xor"}, name))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  bool hasSign = isSigned(*type);
  TESSERA_EMU_TRY(target, decoder.getTarget(decoder.getOperand(0)));
  TESSERA_EMU_TRY(source, decoder.getSource(decoder.getOperand(1), *type));
  TESSERA_EMU_TRY(mask, decoder.getSource(decoder.getOperand(2), Type::B32));
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    return forEachMask(warp, mask, lanes, [&](Lanes members) {
      std::optional<uint32_t> result;
      forEachLane(members, [&](unsigned lane) {
        uint32_t value = warp.at(source)[lane];
        if (!result) {
          result = value;
          return;
        }
        bool isLess =
            hasSign ? int32_t(value) < int32_t(*result) : value < *result;
        if (name == "add")
          *result += value;
        else if (name == "and")
          *result &= value;
        else if (name == "or")
          *result |= value;
        else if (name == "xor")
          *result ^= value;
        else if ((name == "min") == isLess)
          *result = value;
      });
      forEachLane(members,
                  [&](unsigned lane) { warp.at(target)[lane] = *result; });
      return Outcome::Done;
    });
  };
  return Error::success();
}

void emu::addWarpOps(DecodeTable &table) {
  table["shfl"] = decodeShuffle;
  table["elect"] = decodeElect;
  table["vote"] = table["activemask"] = decodeVote;
  table["redux"] = decodeReduction;
}
