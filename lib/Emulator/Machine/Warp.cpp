//===- Warp.cpp - 32 threads that run together ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the ops of a warp. A step runs one split until after an op that
// other agents can observe. Each op executes for the active lanes of its split,
// under the mask of its guard (SIMT). Splits that wait do not block the other
// splits of the warp. A split that waits merges with another one at the same
// position: their branch may have no known point of reconvergence.
//
// Before an op, its registers are checked: unwritten registers, and registers
// of products in flight. A blocked op is repeated; its only state is in its
// split.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"

#include "Cluster.h"

#include "tessera/Emulator/ControlFlow.h"

using namespace tessera::emu;
using llvm::Twine;

Warp::Warp(Cta &cta, unsigned number, const DecodedKernel &kernel)
    : productReads(kernel.hasProducts ? kernel.slots : 0),
      productWrites(productReads.size()), writeTimes(productReads.size()),
      readTimes(productReads.size()), cta(cta), number(number), kernel(kernel),
      values(cta.getCluster().getRun().takeRegisters(kernel.slots * kLanes)),
      local(kernel.localBytes * kLanes, 0xa5), written(kernel.slots, 0),
      clocks(cta.getCluster().countWarps()) {
  Run &run = cta.getCluster().getRun();
  unsigned threads = run.countThreads(), first = number * kLanes;
  id = cta.getRank() * ((threads + kLanes - 1) / kLanes) + number;
  clocks.seen.setStep(id, moment);
  for (unsigned lane = 0; lane < kLanes && first + lane < threads; ++lane)
    alive |= Lanes(1) << lane;
  for (auto [slot, value] : kernel.constants)
    std::fill_n(at(slot), kLanes, value);
  // Fill with a pattern that makes a use visible.
  for (Slot slot : kernel.undefined) {
    std::fill_n(at(slot), kLanes,
                0xa5a5a5a5a5a5a5a5 &
                    getMask(kernel.kernel->registers[slot].type));
    written[slot] = kAllLanes;
  }
  for (auto [slot, variable] : kernel.globals)
    std::fill_n(at(slot), kLanes, run.globals.at(variable));
  for (auto [slot, special] : kernel.specials)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      at(slot)[lane] = cta.getSpecial(special, first + lane);
  splits.push_back({alive, 0, kNowhere, nullptr});
}

Warp::~Warp() {
  getCluster().getRun().spareRegisters.push_back(std::move(values));
}

Cluster &Warp::getCluster() { return cta.getCluster(); }
unsigned Warp::getClusterSize() { return getCluster().getCtas().size(); }

std::string Warp::str() const {
  std::string text = "warp " + std::to_string(number);
  if (cta.getCluster().getCtas().size() > 1)
    text += " of CTA " + std::to_string(cta.getNumber());
  return text;
}

Outcome Warp::fail(const Twine &text, int lane) {
  std::string who = str();
  if (lane >= 0)
    who = "thread " + std::to_string(number * kLanes + lane) + " (" + who + ")";
  Finding finding{op->source->where, (text + ", in " + who).str(), {}};
  getCluster().report(std::move(finding), op, nullptr, 100);
  return Outcome::Failed;
}

Outcome Warp::failAt(const Op &other, const Twine &text) {
  Finding finding{other.source->where, (text + ", in " + str()).str(), {}};
  getCluster().report(std::move(finding), &other, nullptr, 100);
  return Outcome::Failed;
}

Outcome Warp::fail(const Twine &text, const Op *other, const Twine &otherText,
                   std::optional<uint64_t> sharedByte) {
  Finding finding{op->source->where, (text + ", in " + str()).str(), {}};
  finding.sharedByte = sharedByte;
  if (other)
    finding.notes.push_back({other->source->where, otherText.str()});
  getCluster().report(std::move(finding), op, other, 100);
  return Outcome::Failed;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Outcome Warp::checkRegisters(Lanes lanes) {
  auto name = [&](Slot slot) {
    return "'" + kernel.kernel->registers[slot].name + "'";
  };
  unwrittenResults = 0;
  unsigned index = 0;
  for (Slot slot : op->reads) {
    if (productRegisters && productWrites[slot])
      return fail("reads the register " + Twine(name(slot)) +
                  ", which a product in flight writes; expected a "
                  "wgmma.wait_group before");
    bool passes = index++ < op->passing;
    if (lanes & ~written[slot])
      if (Outcome outcome = useUnwritten(slot, lanes, passes);
          outcome != Outcome::Done)
        return outcome;
  }
  if (productRegisters)
    for (Slot slot : op->writes)
      if (productWrites[slot] || productReads[slot])
        return fail("writes the register " + Twine(name(slot)) +
                    ", which a product in flight uses; expected a "
                    "wgmma.wait_group before");
  return Outcome::Done;
}

bool Warp::needsChecks(Lanes lanes) {
  Lanes missing = 0;
  for (Slot slot : op->reads)
    missing |= lanes & ~written[slot];
  unwrittenResults = 0;
  return missing || productRegisters;
}

Outcome Warp::run(Split &split) {
  Run &run = getCluster().getRun();
  current = &split;
  while (true) {
    if (split.next >= kernel.ops.size()) {
      Split *gone = &split;
      leave(*gone, split.lanes);
      return Outcome::Done;
    }
    op = &kernel.ops[split.next];
    ++instructions;
    if (run.options.stepLimit.isReached(++run.steps))
      return fail(run.options.stepLimit.describe("instructions"));
    Lanes lanes = split.lanes;
    if (op->isGuarded) {
      const uint64_t *guard = at(op->guard);
      if (Lanes missing = lanes & ~written[op->guard])
        return fail("the guard is a predicate that nobody has written",
                    __builtin_ctz(missing));
      Lanes holds = 0;
      forEachLane(lanes, [&](unsigned lane) {
        holds |= Lanes(bool(guard[lane]) != op->guardIsNegated) << lane;
      });
      lanes = holds;
    }
    switch (op->flow) {
    case Op::Flow::Branch: {
      bool isUniform = lanes == split.lanes || !lanes;
      bool ends = !splits.empty();
      if (lanes && op->target <= split.next)
        if (const Op *poll = getCluster().getRecurrence().note(*this, *op))
          return getCluster().waitForOthers(*this, *poll);
      branch(split, lanes);
      // The split may no longer exist, or may wait for other splits.
      if (!isUniform)
        return Outcome::Done;
      if (ends && std::none_of(splits.begin(), splits.end(),
                               [&](Split &s) { return &s == &split; }))
        return Outcome::Done;
      continue;
    }
    case Op::Flow::Switch:
      return branchIndexed(split, lanes);
    case Op::Flow::Exit:
      if (!lanes) {
        ++split.next;
        if (split.next != split.meet)
          continue;
        settle(split);
        return Outcome::Done;
      }
      if (op->action && op->action(*this, lanes) == Outcome::Failed)
        return Outcome::Failed;
      advance();
      leave(split, lanes);
      return Outcome::Done;
    case Op::Flow::Next:
      break;
    }
    if (lanes) {
      if (op->isAligned && lanes != split.lanes)
        return fail("some threads of the warp execute this, and others do "
                    "not; all must, together");
      if (op->isAligned && lanes != alive) {
        // The other threads may still end.
        waitingOp = op;
        return block("the other threads of the warp, which have gone another "
                     "way; all must execute this together");
      }
      if (needsChecks(lanes)) {
        if (Outcome outcome = checkRegisters(lanes); outcome != Outcome::Done)
          return outcome;
      }
      Outcome outcome = op->action(*this, lanes);
      if (outcome == Outcome::Failed)
        return outcome;
      if (outcome == Outcome::Blocked) {
        waitingOp = op;
        return outcome;
      }
      split.hasTicket = false;
      for (Slot slot : op->accumulatorReads)
        readTimes[slot] = instructions;
      for (Slot slot : op->writes)
        written[slot] |= lanes;
      if (kernel.hasProducts)
        for (Slot slot : op->writes)
          writeTimes[slot] = instructions;
      if (unwrittenResults)
        noteUnwritten();
      bool isVisible = op->isVisible;
      if (isVisible && !op->isQuiet)
        ++run.changes;
      if (outcome == Outcome::Yielded)
        getCluster().getRecurrence().notePoll(*op);
      isPaused = op->isOrdered && run.config.cooperative;
      ++split.next;
      if (split.next == split.meet) {
        settle(split);
        return outcome;
      }
      if (isVisible)
        return outcome;
      continue;
    }
    ++split.next;
    if (split.next == split.meet) {
      settle(split);
      return Outcome::Done;
    }
  }
}

Outcome Warp::sleep(Reason reason) {
  seenChanges = cta.mbarrierChanges;
  return block(std::move(reason));
}

Outcome Warp::step() {
  if (isPaused)
    return Outcome::Blocked;
  if (seenChanges == cta.mbarrierChanges)
    return Outcome::Blocked;
  if (sleepsAt && !sleepsAt->isOver(sleepsFor))
    return Outcome::Blocked;
  // Splits with children cannot continue.
  SmallVector<Split *, 4> leaves;
  for (Split &split : splits)
    if (split.children == 0 && split.lanes)
      leaves.push_back(&split);
  for (Split *leaf : leaves) {
    seenChanges.reset();
    sleepsAt = nullptr;
    Outcome outcome = run(*leaf);
    if (outcome == Outcome::Blocked) {
      // If one side of a branch may end, its point of reconvergence is unknown.
      if (!merge(*leaf))
        continue;
      return Outcome::Done;
    }
    // A split that polls yields to the other splits of the warp.
    if (outcome == Outcome::Yielded && splits.size() > 1) {
      auto it = llvm::find_if(
          splits, [&](const Split &split) { return &split == leaf; });
      if (it != splits.end())
        splits.splice(splits.end(), splits, it);
    }
    return outcome;
  }
  // Other splits may continue without a barrier, so the warp does not sleep.
  if (leaves.size() != 1) {
    seenChanges.reset();
    sleepsAt = nullptr;
  }
  return Outcome::Blocked;
}
