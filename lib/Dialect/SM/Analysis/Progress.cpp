//===- Progress.cpp - Proof of progress -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Explores the states of the marked graph of Progress.h depth first. The
// machine runs all roles until each one waits, asks a question, or ends. A
// question is answered both ways. A state that was seen before (StateNames.h)
// ends the path. A state in which roles wait and none asks is reported with the
// cycle of waits.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/Analysis/Progress.h"

#include "StateNames.h"
#include "tessera/Dialect/SM/IR/ProgressAttr.h"
#include "tessera/Dialect/SM/IR/RegisterPressureText.h"

#include "llvm/ADT/StringSet.h"

using namespace tessera;
using namespace tessera::sm;

/// More places than the kernels of the examples have by far; beyond them
/// something grows with each iteration.
static constexpr int64_t kMostStates = 1000;

/// From an agent that waits, each for the next one, up to where that closes or
/// to an agent that has ended.
static SmallVector<Progress::Wait> findWaits(const RoleInterpreter &machine,
                                             const MachineState &state) {
  SmallVector<unsigned> way;
  auto isWaiting = [](const Agent &agent) {
    return agent.status == Agent::Status::Waits;
  };
  unsigned agent =
      llvm::find_if(state.agents, isWaiting) - state.agents.begin();
  while (!llvm::is_contained(way, agent)) {
    way.push_back(agent);
    if (!isWaiting(state.agents[agent]))
      break;
    SmallVector<unsigned> awaited = machine.getAwaited(state, agent);
    if (awaited.empty())
      break;
    agent = awaited.front();
  }
  // The way that leads into a cycle is no part of it.
  bool isCycle = isWaiting(state.agents[way.back()]);
  SmallVector<Progress::Wait> waits;
  for (unsigned number : way) {
    const Agent &waiting = state.agents[number];
    if (isCycle && number == agent)
      waits.clear();
    waits.push_back(
        {machine.getRole(number), isWaiting(waiting) ? waiting.at : nullptr});
  }
  return waits;
}

/// Checks whether CTAs of a cluster wait for each other, and may answer
/// `question` otherwise.
static bool mayDifferInCluster(KernelOp kernel, RoleInterpreter &machine,
                               const Question &question) {
  WalkResult found = kernel.walk([](CopyStartOp copy) {
    return copy.getMulticast() ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  return found.wasInterrupted() &&
         machine.getAtoms().contains(
             question.value, [](const ScalarAtoms::Atom &atom) {
               return atom.kind == ScalarAtoms::Kind::Unknown ||
                      StringRef(atom.name).starts_with("sm.cta_rank") ||
                      StringRef(atom.name).starts_with("sm.load");
             });
}

Progress sm::analyzeProgress(KernelOp kernel) {
  RoleInterpreter machine(kernel);
  Progress progress;
  if (!machine.hasSchedule())
    return progress;
  progress.kind = Progress::Kind::Open;
  llvm::StringSet<> seen;
  SmallVector<MachineState, 0> open = {machine.start()};
  while (!open.empty()) {
    MachineState state = open.pop_back_val();
    if (!machine.run(state)) {
      progress.reason = "a loop of known length runs too often to follow it";
      return progress;
    }
    // A consumer comes after its producer, and knows less of what is next.
    auto asking =
        llvm::find_if(llvm::reverse(state.agents), [](const Agent &agent) {
          return agent.status == Agent::Status::Asks;
        });
    if (asking == state.agents.rend()) {
      if (llvm::all_of(state.agents, [](const Agent &agent) {
            return agent.status == Agent::Status::Done;
          }))
        continue;
      progress.waits = findWaits(machine, state);
      progress.condition = state.fork;
      if (state.isCertain)
        progress.kind = Progress::Kind::Deadlock;
      return progress;
    }
    Question question = asking->question;
    if (mayDifferInCluster(kernel, machine, question)) {
      progress.condition = question.op;
      progress.reason = "CTAs of a cluster, which wait for each other, may go "
                        "different ways";
      return progress;
    }
    if (!seen.insert(nameState(machine, state)).second)
      continue;
    if (++progress.numStates > kMostStates) {
      progress.condition = question.op;
      progress.reason = "roles come to ever new states";
      return progress;
    }
    for (bool isTrue : {false, true}) {
      MachineState next = state;
      RoleInterpreter::assume(next, question, isTrue);
      open.push_back(std::move(next));
    }
  }
  progress.kind = Progress::Kind::Proven;
  return progress;
}

static std::string describeAt(Operation *op) {
  std::string place = op ? describePlace(op->getLoc()) : "";
  return place.empty() ? "" : " at " + place;
}

/// Describes each role that waits, and the role that it waits for.
static std::string describeWaits(ArrayRef<Progress::Wait> waits) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [index, wait] : llvm::enumerate(waits)) {
    RoleOp role = wait.role;
    if (!wait.op)
      break;
    const Progress::Wait &next = waits[(index + 1) % waits.size()];
    RoleOp awaited = next.role;
    os << (index ? ", " : "") << "'" << role.getName() << "' waits"
       << describeAt(wait.op) << " for ";
    if (role == awaited)
      os << "another of its warpgroups";
    else
      os << "'" << awaited.getName() << "'";
    if (!next.op)
      os << ", which has ended";
  }
  return text;
}

static void reportDeadlock(ArrayRef<Progress::Wait> waits) {
  auto describe = [&](size_t index) {
    RoleOp role = waits[index].role;
    RoleOp next = waits[(index + 1) % waits.size()].role;
    return ("role '" + role.getName() + "' waits here for " +
            (role == next ? Twine("another of its warpgroups")
                          : "role '" + next.getName() + "'"))
        .str();
  };
  InFlightDiagnostic error = waits.front().op->emitOpError()
                             << "waits for ever: " << describe(0);
  for (size_t index = 1; index < waits.size(); ++index) {
    Progress::Wait wait = waits[index];
    if (wait.op)
      error.attachNote(wait.op->getLoc()) << describe(index);
    else
      error.attachNote(wait.role.getLoc())
          << "role '" << wait.role.getName() << "' ends without it";
  }
}

LogicalResult sm::proveProgress(KernelOp kernel) {
  Progress progress = analyzeProgress(kernel);
  std::string text;
  switch (progress.kind) {
  case Progress::Kind::Independent:
    return success();
  case Progress::Kind::Deadlock:
    reportDeadlock(progress.waits);
    return failure();
  case Progress::Kind::Proven:
    text = kProvenProgress.str();
    break;
  case Progress::Kind::Open:
    text = progress.reason.empty()
               ? describeWaits(progress.waits) + " if roles go different ways"
               : progress.reason;
    text += describeAt(progress.condition);
    break;
  }
  kernel->setAttr(kProgressAttrName,
                  StringAttr::get(kernel.getContext(), text));
  return success();
}
