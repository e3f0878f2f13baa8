//===- BarrierOps.cpp - Barriers of CTAs and clusters, fences ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behaviour of barriers of CTAs and of the cluster, of fences, and of
// `setmaxnreg`. A barrier is a sim::NamedBarrier, found by its number and its
// number of threads. A warp arrives once for each execution: the split keeps
// the round as a ticket, and sleeps until the round is over. Arrivals and waits
// join vector clocks; a proxy fence sets the fenced clocks.
//
//===----------------------------------------------------------------------===//

#include "Machine/Cluster.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
using llvm::Error;
using llvm::Twine;

/// Number of barriers of a CTA (PTX ISA, "barrier").
static constexpr unsigned kBarriers = 16;

/// Returns the value of `slot` if all threads of the warp have the same one.
static std::optional<uint64_t> getUniform(Warp &warp, Slot slot, Lanes lanes) {
  const uint64_t *values = warp.at(slot), value = values[__builtin_ctz(lanes)];
  bool isUniform = true;
  forEachLane(lanes,
              [&](unsigned lane) { isUniform &= values[lane] == value; });
  return isUniform ? std::optional(value) : std::nullopt;
}

/// Blocks an instruction without `.aligned` until the whole warp executes it.
static Outcome blockForWarp(Warp &warp, Lanes lanes) {
  if (lanes != warp.getSplit().lanes)
    return warp.fail("some threads of the warp execute this, and others do "
                     "not; the emulator knows whole warps only");
  return warp.block("the other threads of the warp, which have gone another "
                    "way; the emulator knows whole warps only");
}

/// Arrives once, and keeps the round in the split until it is over.
static Outcome meet(Warp &warp, sim::NamedBarrier &barrier, bool waits,
                    unsigned number) {
  Split &split = warp.getSplit();
  if (!split.hasTicket) {
    split.ticket = barrier.arrive(warp.getId(), warp.getClocks(), kLanes);
    split.hasTicket = true;
    warp.advance();
  }
  if (!waits)
    return Outcome::Done;
  if (!barrier.isOver(split.ticket))
    return warp.sleep(barrier, split.ticket, [&barrier, number] {
      return "barrier " + std::to_string(number) + ": " + barrier.str();
    });
  warp.join(barrier.getClocks(split.ticket));
  return Outcome::Done;
}

namespace {
/// bar.red: the predicate of each thread, and the result that all threads get.
struct Reduction {
  enum Kind { Count, All, Any } kind = Count;
  Slot target = 0, source = 0;
  bool isNegated = false;
};
} // namespace

static llvm::Expected<Reduction> decodeReduction(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  Reduction reduction;
  if (instruction.has("popc") && instruction.has("u32"))
    reduction.kind = Reduction::Count;
  else if (instruction.has("and") && instruction.has("pred"))
    reduction.kind = Reduction::All;
  else if (instruction.has("or") && instruction.has("pred"))
    reduction.kind = Reduction::Any;
  else
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  const Operand &operand = instruction.operands.back();
  reduction.isNegated = operand.kind == Operand::Negated;
  TESSERA_EMU_TRY(
      source,
      decoder.getSource(reduction.isNegated ? operand.elements[0] : operand,
                        Type::Pred));
  TESSERA_EMU_TRY(target, decoder.getTarget(decoder.getOperand(0)));
  reduction.source = source;
  reduction.target = target;
  return reduction;
}

/// Counts the votes of a warp that arrives; sets the result when the round is
/// over.
static void reduce(Warp &warp, const Reduction &reduction, Lanes lanes,
                   BarrierVotes &votes, bool isOver) {
  if (!isOver) {
    forEachLane(lanes, [&](unsigned lane) {
      ++votes.voters;
      votes.agree +=
          bool(warp.at(reduction.source)[lane]) != reduction.isNegated;
    });
    return;
  }
  uint64_t result = reduction.kind == Reduction::Count ? votes.agree
                    : reduction.kind == Reduction::All
                        ? votes.agree == votes.voters
                        : votes.agree != 0;
  forEachLane(lanes,
              [&](unsigned lane) { warp.at(reduction.target)[lane] = result; });
}

/// bar.sync, bar.arrive, barrier.sync, barrier.arrive: number, threads. bar.red
/// also has a result first and a predicate last.
static Error decodeBarrier(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  bool arrives = instruction.has("arrive"), reduces = instruction.has("red");
  if (!arrives && !reduces && !instruction.has("sync"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  unsigned first = reduces, least = 1 + arrives + 2 * reduces;
  if (Error error = decoder.expectOperands(least, 2 + 2 * reduces))
    return error;
  TESSERA_EMU_TRY(number,
                  decoder.getSource(decoder.getOperand(first), Type::B32));
  std::optional<Slot> threads;
  if (instruction.operands.size() > 1 + 2 * unsigned(reduces)) {
    TESSERA_EMU_TRY(
        slot, decoder.getSource(decoder.getOperand(first + 1), Type::B32));
    threads = slot;
  }
  std::optional<Reduction> reduction;
  if (reduces) {
    TESSERA_EMU_TRY(decoded, decodeReduction(decoder));
    reduction = decoded;
  }
  Op &op = decoder.getOp();
  op.isVisible = true;
  op.isQuiet = !arrives && !reduces;
  // `bar` is `barrier.aligned`.
  op.isAligned = instruction.getRoot() == "bar" || instruction.has("aligned");
  op.action = [=](Warp &warp, Lanes lanes) {
    Cta &cta = warp.getCta();
    std::optional<uint64_t> id = getUniform(warp, number, lanes);
    unsigned all = cta.getWarps().size() * kLanes;
    std::optional<uint64_t> count =
        threads ? getUniform(warp, *threads, lanes) : all;
    if (lanes != warp.getAlive())
      return blockForWarp(warp, lanes);
    if (!id || !count)
      return warp.fail("threads of the warp give other barriers");
    if (*id >= kBarriers)
      return warp.fail("there is no barrier " + Twine(*id) + "; a CTA has " +
                       Twine(kBarriers));
    if (*count == 0 || *count % kLanes)
      return warp.fail("the number of threads is " + Twine(*count) +
                       ", and must be a multiple of " + Twine(kLanes));
    if (*count > all)
      return warp.fail("the barrier waits for " + Twine(*count) +
                       " threads, and the CTA has " + Twine(all));
    for (auto &[key, other] : cta.barriers)
      if (key.first == *id && key.second != *count && other.getPresent())
        return warp.fail("barrier " + Twine(*id) + " is used for " +
                         Twine(*count) +
                         " threads while others wait at it "
                         "for " +
                         Twine(key.second));
    sim::NamedBarrier &barrier =
        cta.barriers
            .try_emplace({unsigned(*id), unsigned(*count)}, *count,
                         warp.getCluster().countWarps())
            .first->second;
    if (!reduction)
      return meet(warp, barrier, !arrives, *id);
    auto &votes = cta.votes[{unsigned(*id), unsigned(*count)}];
    bool isFirst = !barrier.getPresent(), comes = !warp.getSplit().hasTicket;
    Outcome outcome = meet(warp, barrier, /*waits=*/true, *id);
    BarrierVotes &own = votes[warp.getSplit().ticket % 2];
    if (comes && isFirst)
      own = {};
    if (comes)
      reduce(warp, *reduction, lanes, own, /*isOver=*/false);
    if (outcome == Outcome::Done)
      reduce(warp, *reduction, lanes, own, /*isOver=*/true);
    return outcome;
  };
  return Error::success();
}

/// barrier.cluster.arrive and wait.
static Error decodeClusterBarrier(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  bool arrives = instruction.has("arrive");
  bool isRelaxed = instruction.has("relaxed");
  Op &op = decoder.getOp();
  op.isVisible = true;
  op.isAligned = instruction.has("aligned");
  op.action = [=](Warp &warp, Lanes lanes) {
    Cluster &cluster = warp.getCluster();
    if (lanes != warp.getAlive())
      return blockForWarp(warp, lanes);
    sim::NamedBarrier &barrier = cluster.getBarrier();
    if (arrives) {
      if (warp.clusterRound)
        return warp.fail("arrives at the barrier of the cluster a second "
                         "time, without a wait between");
      sim::Clocks none(cluster.countWarps());
      warp.clusterRound = barrier.arrive(
          warp.getId(), isRelaxed ? none : warp.getClocks(), kLanes);
      warp.advance();
      cluster.arriveForEnded();
      return Outcome::Done;
    }
    if (!warp.clusterRound)
      return warp.fail("waits at the barrier of the cluster without having "
                       "arrived there");
    if (!barrier.isOver(*warp.clusterRound))
      return warp.block([&barrier] {
        return "the barrier of the cluster: " + barrier.str();
      });
    warp.join(barrier.getClocks(*warp.clusterRound));
    warp.clusterRound.reset();
    return Outcome::Done;
  };
  return Error::success();
}

static Error decodeAnyBarrier(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  if (instruction.has("cluster"))
    return decodeClusterBarrier(decoder);
  if (instruction.has("warp")) {
    // bar.warp.sync does nothing: threads of a warp are one agent.
    decoder.getOp().action = [](Warp &, Lanes) { return Outcome::Done; };
    return Error::success();
  }
  return decodeBarrier(decoder);
}

/// fence.proxy.async orders generic accesses before asynchronous ones, in the
/// memory that it names or in all. fence.mbarrier_init orders initialisations
/// of mbarriers. Other fences order nothing beyond the barriers.
static Error decodeFence(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  bool isProxy = instruction.has("proxy");
  if (isProxy && !instruction.has("async") && !instruction.has("alias") &&
      !instruction.has("tensormap::generic"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  bool fences = isProxy && instruction.has("async");
  bool isForAll = instruction.name.ends_with(".async");
  bool isGlobal = fences && (isForAll || instruction.has("global"));
  bool isShared = fences && (isForAll || !instruction.has("global"));
  bool fencesMbarriers = fences || instruction.has("mbarrier_init");
  Op &op = decoder.getOp();
  op.isVisible = true;
  op.isQuiet = !fences && !fencesMbarriers;
  op.action = [=](Warp &warp, Lanes) {
    if (fences)
      warp.fence(isShared, isGlobal);
    auto &unfenced = warp.getCta().unfencedMbarriers;
    for (auto it = unfenced.begin(); fencesMbarriers && it != unfenced.end();)
      it = it->second == warp.getId() ? unfenced.erase(it) : std::next(it);
    return Outcome::Done;
  };
  return Error::success();
}

/// setmaxnreg: a warpgroup returns registers to the pool, or waits until the
/// pool has enough (PTX ISA, "setmaxnreg").
static Error decodeRegisters(Decoder &decoder) {
  if (Error error = decoder.expectOperands(1, 1))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  const Operand &operand = decoder.getOperand(0);
  uint64_t wanted = operand.bits;
  bool increases = instruction.has("inc");
  if (operand.kind != Operand::Integer || wanted < 24 || wanted > 256 ||
      wanted % 8)
    return decoder.makeError("expected a multiple of 8 from 24 to 256 as the "
                             "number of registers");
  Op &op = decoder.getOp();
  op.isVisible = op.isAligned = true;
  op.action = [=](Warp &warp, Lanes) {
    Cta &cta = warp.getCta();
    int64_t change =
        (int64_t(wanted) - int64_t(warp.registers)) * int64_t(kLanes);
    if (increases ? change < 0 : change > 0)
      return warp.fail("has " + Twine(warp.registers) +
                       " registers for each thread, and asks for " +
                       Twine(increases ? "more" : "fewer") + ": " +
                       Twine(wanted));
    if (change > cta.freeRegisters)
      return warp.block([&cta, change] {
        return std::to_string(change) + " registers; the CTA has " +
               std::to_string(cta.freeRegisters) + " free";
      });
    cta.freeRegisters -= change;
    warp.registers = wanted;
    return Outcome::Done;
  };
  return Error::success();
}

/// griddepcontrol: no other launch runs concurrently, but a launch that may
/// begin early must wait.
static Error decodeGridControl(Decoder &decoder) {
  bool waits = decoder.getInstruction().has("wait");
  decoder.getOp().action = [=](Warp &warp, Lanes) {
    warp.getCta().hasWaitedForPrevious |= waits;
    return Outcome::Done;
  };
  return Error::success();
}

/// nanosleep and pmevent do nothing.
static Error decodeNothing(Decoder &decoder) {
  decoder.getOp().action = [](Warp &, Lanes) { return Outcome::Done; };
  return Error::success();
}

void emu::addBarrierOps(DecodeTable &table) {
  table["bar"] = table["barrier"] = decodeAnyBarrier;
  table["fence"] = table["membar"] = decodeFence;
  table["setmaxnreg"] = decodeRegisters;
  table["griddepcontrol"] = decodeGridControl;
  table["nanosleep"] = table["pmevent"] = decodeNothing;
}
