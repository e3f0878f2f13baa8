//===- MbarrierOps.cpp - Barriers in shared memory --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
// The state of an mbarrier is a sim::Mbarrier, keyed by its address. Its eight
// bytes in memory have an access history: initialisation writes them, and each
// use reads them. A write by another instruction that is not ordered with these
// accesses is therefore a race.
//
// try_wait waits without limit. If asynchronous operations may be late, each
// try_wait first times out once (see ranOut).
//
//===----------------------------------------------------------------------===//

#include "MbarrierOps.h"

#include "Machine/Decoder.h"
#include "Memory/Memory.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
using llvm::Error;
using llvm::Twine;

static constexpr uint32_t kBytes = 8;

/// Reports the defect of an arrival or of delivered bytes, at an instruction of
/// the warp.
static Outcome verify(Warp &warp, const Op &op, const sim::Mbarrier &barrier,
                      sim::Mbarrier::Defect defect) {
  switch (defect) {
  case sim::Mbarrier::Defect::None:
    return Outcome::Done;
  case sim::Mbarrier::Defect::TooManyArrivals:
    return warp.failAt(op,
                       "all arrivals of the phase have come: " + barrier.str());
  case sim::Mbarrier::Defect::TooManyBytes:
    return warp.failAt(op, "more bytes have come than were announced: " +
                               barrier.str());
  }
  return Outcome::Failed;
}

sim::Mbarrier *emu::findMbarrier(Warp &warp, Space space, uint64_t address,
                                 int lane, Located &located) {
  if (locate(warp, space, address, kBytes, kBytes, lane, located) !=
      Outcome::Done)
    return nullptr;
  if (!located.cta) {
    (void)warp.fail("an mbarrier is in shared memory", lane);
    return nullptr;
  }
  auto it = located.cta->mbarriers.find(located.offset);
  if (it != located.cta->mbarriers.end())
    return &it->second;
  (void)warp.fail("there is no mbarrier at byte " +
                  Twine(located.offset - kFirstSharedByte) +
                  " of shared memory; expected an mbarrier.init before");
  return nullptr;
}

Outcome emu::checkMbarrierFence(Warp &warp, const Located &barrier, int lane) {
  if (!warp.getCluster().getRun().options.hasStrictMbarriers ||
      !barrier.cta->unfencedMbarriers.count(barrier.offset))
    return Outcome::Done;
  return warp.fail("missing fence: a copy completes at an mbarrier whose maker "
                   "has not fenced it; expected a fence.mbarrier_init after "
                   "the mbarrier.init",
                   lane);
}

Outcome emu::arriveLater(
    Warp &warp, const Op &op, const Located &located,
    llvm::function_ref<sim::Mbarrier::Defect(sim::Mbarrier &)> arrive) {
  auto it = located.cta->mbarriers.find(located.offset);
  if (it == located.cta->mbarriers.end())
    return warp.failAt(op, "the mbarrier is gone at which this copy completes");
  ++located.cta->mbarrierChanges;
  return verify(warp, op, it->second, arrive(it->second));
}

Outcome emu::completeLater(Warp &warp, const Op &op, const Located &located,
                           uint64_t bytes, uint32_t number) {
  return arriveLater(warp, op, located, [&](sim::Mbarrier &barrier) {
    return barrier.complete(bytes, number);
  });
}

/// Finds the barrier that a thread names, and records its use.
static Outcome use(Warp &warp, Space space, uint64_t address, int lane,
                   Located &located, sim::Mbarrier *&barrier) {
  barrier = findMbarrier(warp, space, address, lane, located);
  if (!barrier)
    return Outcome::Failed;
  return record(warp, {warp.now()}, located, kBytes);
}

static Error decodeInit(Decoder &decoder) {
  bool makes = decoder.getInstruction().has("init");
  if (Error error = decoder.expectOperands(makes ? 2 : 1, makes ? 2 : 1))
    return error;
  Space space = getSpace(decoder.getInstruction());
  TESSERA_EMU_TRY(place, decoder.getPlace(decoder.getOperand(0)));
  Slot count = 0;
  if (makes) {
    TESSERA_EMU_TRY(slot, decoder.getSource(decoder.getOperand(1), Type::B32));
    count = slot;
  }
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Outcome outcome = Outcome::Done;
    forEachLane(lanes, [&](unsigned lane) {
      if (outcome != Outcome::Done)
        return;
      Located located;
      outcome = locate(warp, space, warp.at(place.base)[lane] + place.offset,
                       kBytes, kBytes, lane, located);
      if (outcome != Outcome::Done)
        return;
      if (!located.cta || located.cta != &warp.getCta()) {
        outcome = warp.fail("an mbarrier is made in the shared memory of the "
                            "own CTA",
                            lane);
        return;
      }
      Cluster::Kind kind{warp.now(), sim::Proxy::Generic, /*isWrite=*/true};
      outcome = record(warp, kind, located, kBytes);
      if (outcome != Outcome::Done)
        return;
      ++located.cta->mbarrierChanges;
      located.cta->mbarriers.erase(located.offset);
      if (!makes)
        return;
      uint64_t arrivals = warp.at(count)[lane];
      if (arrivals == 0 || arrivals >= 1u << 20) {
        outcome = warp.fail("expected from 1 to 2^20 - 1 arrivals, got " +
                                Twine(arrivals),
                            lane);
        return;
      }
      located.cta->mbarriers.try_emplace(located.offset, arrivals,
                                         warp.getCluster().countWarps());
      located.cta->unfencedMbarriers[located.offset] = warp.getId();
    });
    return outcome;
  };
  return Error::success();
}

/// mbarrier.arrive, arrive.expect_tx, expect_tx: [state,] [barrier] [, number].
static Error decodeArrive(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  bool arrives = instruction.has("arrive");
  bool expects = instruction.has("expect_tx");
  if (instruction.has("noComplete") || instruction.has("complete_tx"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  Space space = getSpace(instruction);
  unsigned next = 0;
  std::optional<Slot> state;
  const Operand &first = decoder.getOperand(0);
  if (first.kind != Operand::Address) {
    TESSERA_EMU_TRY(slot, decoder.getTarget(first));
    if (first.kind != Operand::Sink)
      state = slot;
    ++next;
  }
  if (Error error = decoder.expectOperands(next + 1 + expects, next + 2))
    return error;
  TESSERA_EMU_TRY(place, decoder.getPlace(decoder.getOperand(next++)));
  std::optional<Slot> number;
  if (next < instruction.operands.size()) {
    TESSERA_EMU_TRY(slot,
                    decoder.getSource(decoder.getOperand(next), Type::B32));
    number = slot;
  }
  bool isRelaxed = instruction.has("relaxed");
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Outcome outcome = Outcome::Done;
    // The barriers that threads name, and their phases before this instruction.
    SmallVector<std::pair<const sim::Mbarrier *, uint64_t>, 2> phases;
    forEachLane(lanes, [&](unsigned lane) {
      if (outcome != Outcome::Done)
        return;
      Located located;
      sim::Mbarrier *barrier = nullptr;
      outcome = use(warp, space, warp.at(place.base)[lane] + place.offset, lane,
                    located, barrier);
      if (outcome != Outcome::Done)
        return;
      ++located.cta->mbarrierChanges;
      if (located.cta != &warp.getCta())
        located.cta->remoteArrivals[warp.getId()] = {warp.now(), &warp.getOp()};
      uint64_t value = number ? warp.at(*number)[lane] : 1;
      if (state)
        warp.at(*state)[lane] = barrier->getPhase();
      if (!arrives) {
        barrier->announce(int64_t(value));
        return;
      }
      sim::Clocks none(warp.getCluster().countWarps());
      const sim::Clocks &clocks = isRelaxed ? none : warp.getClocks();
      auto known = llvm::find_if(
          phases, [&](const auto &entry) { return entry.first == barrier; });
      if (known == phases.end())
        known = phases.insert(phases.end(), {barrier, barrier->getPhase()});
      uint64_t count = expects ? 1 : value;
      for (uint64_t i = 0; i < count && outcome == Outcome::Done; ++i)
        outcome = verify(
            warp, warp.getOp(), *barrier,
            barrier->arriveExpecting(clocks, expects ? int64_t(value) : 0));
      if (outcome == Outcome::Done && barrier->getPhase() > known->second + 1)
        outcome = warp.fail("one instruction completes several phases of the "
                            "mbarrier, and nobody can wait for each: " +
                                barrier->str(),
                            lane);
    });
    warp.advance();
    return outcome;
  };
  return Error::success();
}

/// Checks whether a try_wait returns before the phase is over because it has
/// timed out (PTX ISA, "mbarrier.try_wait"). The next try_wait of the split
/// waits.
static bool ranOut(Warp &warp) {
  Split &split = warp.getSplit();
  sim::Order order = warp.getCluster().getRun().options.order;
  if (split.timedOut == &warp.getOp() ||
      (order != sim::Order::Late && order != sim::Order::Random))
    return false;
  split.timedOut = &warp.getOp();
  return true;
}

/// mbarrier.try_wait and test_wait, by the state of an arrival or by parity.
static Error decodeWait(Decoder &decoder) {
  if (Error error = decoder.expectOperands(3, 4))
    return error;
  const Instruction &instruction = decoder.getInstruction();
  bool waits = instruction.has("try_wait");
  bool byParity = instruction.has("parity");
  bool isRelaxed = instruction.has("relaxed");
  Space space = getSpace(instruction);
  TESSERA_EMU_TRY(target, decoder.getTarget(decoder.getOperand(0)));
  TESSERA_EMU_TRY(place, decoder.getPlace(decoder.getOperand(1)));
  TESSERA_EMU_TRY(phase, decoder.getSource(decoder.getOperand(2),
                                           byParity ? Type::B32 : Type::B64));
  decoder.getOp().isVisible = true;
  decoder.getOp().action = [=](Warp &warp, Lanes lanes) {
    Outcome outcome = Outcome::Done;
    Lanes complete = 0;
    sim::Mbarrier *last = nullptr;
    uint32_t where = 0;
    forEachLane(lanes, [&](unsigned lane) {
      if (outcome != Outcome::Done)
        return;
      Located located;
      outcome = use(warp, space, warp.at(place.base)[lane] + place.offset, lane,
                    located, last);
      if (outcome != Outcome::Done)
        return;
      if (located.cta != &warp.getCta()) {
        outcome = warp.fail("waits at an mbarrier of another CTA", lane);
        return;
      }
      where = located.offset;
      uint64_t wanted = warp.at(phase)[lane];
      if (byParity && wanted > 1 &&
          warp.getCluster().getRun().options.hasStrictMbarriers) {
        outcome = warp.fail("expected a parity of 0 or 1, got " + Twine(wanted),
                            lane);
        return;
      }
      bool isOver =
          byParity ? last->isComplete(wanted & 1) : last->getPhase() != wanted;
      if (isOver) {
        complete |= Lanes(1) << lane;
        if (!isRelaxed)
          warp.join(last->getClocks());
      }
    });
    if (outcome != Outcome::Done)
      return outcome;
    // Threads whose phase is over continue: the others may wait for them.
    if (waits && !complete && !ranOut(warp))
      return warp.sleep([where, last] {
        return "the mbarrier at byte " +
               std::to_string(where - kFirstSharedByte) + ": " + last->str();
      });
    forEachLane(lanes, [&](unsigned lane) {
      warp.at(target)[lane] = complete >> lane & 1;
    });
    return complete == lanes ? Outcome::Done : Outcome::Yielded;
  };
  return Error::success();
}

static Error decodeMbarrier(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  if (instruction.has("init") || instruction.has("inval"))
    return decodeInit(decoder);
  if (instruction.operands.empty())
    return decoder.makeError("expected operands");
  if (instruction.has("arrive_drop"))
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  if (instruction.has("try_wait") || instruction.has("test_wait"))
    return decodeWait(decoder);
  if (instruction.has("arrive") || instruction.has("expect_tx"))
    return decodeArrive(decoder);
  return decoder.makeError("unknown instruction '" + instruction.name + "'");
}

void emu::addMbarrierOps(DecodeTable &table) {
  table["mbarrier"] = decodeMbarrier;
}
