//===- LoopClock.cpp - Steady state of a pipelined loop -------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Timing/LoopClock.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <map>

using namespace tessera;
using namespace tessera::timing;

namespace {
/// With service by instructions, which is more exact elsewhere, the first
/// orders of gradients with heads of 64 take 11 % less to 16 % more time
/// (gpu/results/2026-11-30-experiments.txt).
constexpr auto kService = Multiprocessor::Service::ByGroups;

/// Iterations that are executed; the period is that of the second half.
constexpr unsigned kIterations = 8;

class LoopRun {
public:
  LoopRun(ArrayRef<LoopStep> steps, unsigned count,
          const TimingConstants &constants)
      : steps(steps), constants(constants), machine(constants, kService),
        agents(count) {}

  double run();

private:
  struct Agent {
    Multiprocessor::AgentId id;
    size_t next = 0;
    std::vector<double> ends;
  };
  struct Channel {
    /// Signals by agent, and when all agents had signalled n times.
    std::vector<unsigned> signals;
    std::vector<double> times;
    std::vector<std::function<void()>> waiters;
  };

  void step(Agent &agent);
  void synchronise(Agent &agent, const LoopStep &step);
  void signal(Agent &agent, Channel &channel);
  void wait(Agent &agent, const LoopStep &step);

  ArrayRef<LoopStep> steps;
  const TimingConstants &constants;
  Multiprocessor machine;
  std::vector<Agent> agents;
  std::map<const void *, Channel> channels;
  std::vector<std::function<void()>> meeting;
};
} // namespace

void LoopRun::signal(Agent &agent, Channel &channel) {
  channel.signals.resize(agents.size());
  ++channel.signals[&agent - agents.data()];
  if (*llvm::min_element(channel.signals) == channel.times.size())
    return;
  channel.times.push_back(machine.getTime());
  auto waiters = std::move(channel.waiters);
  channel.waiters.clear();
  for (auto &waiter : waiters)
    waiter();
}

void LoopRun::wait(Agent &agent, const LoopStep &step) {
  Channel &channel = channels[step.channel];
  // Signals that this iteration needs.
  double needed = agent.ends.size() + 1 - step.count;
  if (needed > channel.times.size()) {
    channel.waiters.push_back([this, &agent, &step] { wait(agent, step); });
    return;
  }
  double from =
      needed < 1 ? 0 : channel.times[size_t(needed) - 1] + step.cycles;
  machine.after(std::max(constants.readyWait, from - machine.getTime()),
                [this, &agent] { this->step(agent); });
}

void LoopRun::step(Agent &agent) {
  if (agent.next == steps.size()) {
    agent.next = 0;
    agent.ends.push_back(machine.getTime());
    if (agent.ends.size() == kIterations)
      return;
  }
  const LoopStep &step = steps[agent.next++];
  // Register work goes on while MMAs are issued; all else waits for the issue.
  if (step.kind == LoopStep::Compute)
    return machine.work(agent.id, step.work,
                        [this, &agent] { this->step(agent); });
  machine.afterIssue(agent.id,
                     [this, &agent, &step] { synchronise(agent, step); });
}

void LoopRun::synchronise(Agent &agent, const LoopStep &step) {
  auto goOn = [this, &agent] { this->step(agent); };
  switch (step.kind) {
  case LoopStep::Compute:
    llvm_unreachable("not a synchronisation");
  case LoopStep::Issue:
    machine.issue(agent.id, step.count, step.cycles);
    return goOn();
  case LoopStep::Await:
    return machine.await(agent.id, size_t(step.count), goOn);
  case LoopStep::Pause:
    return machine.after(step.cycles, goOn);
  case LoopStep::Signal:
    signal(agent, channels[step.channel]);
    return goOn();
  case LoopStep::Wait:
    return wait(agent, step);
  case LoopStep::Meet:
    meeting.push_back(goOn);
    if (meeting.size() < agents.size())
      return;
    auto all = std::move(meeting);
    meeting.clear();
    for (auto &action : all)
      machine.after(agents.size() > 1 ? constants.meeting
                                      : constants.ownMeeting,
                    std::move(action));
    return;
  }
}

double LoopRun::run() {
  for (Agent &agent : agents)
    agent.id = machine.addAgent();
  for (Agent &agent : agents)
    step(agent);
  machine.run();
  double longest = 0;
  for (Agent &agent : agents) {
    if (agent.ends.size() < kIterations)
      return std::numeric_limits<double>::infinity();
    longest = std::max(longest,
                       (agent.ends.back() - agent.ends[kIterations / 2 - 1]) /
                           (kIterations / 2));
  }
  return longest;
}

double timing::timeIteration(ArrayRef<LoopStep> steps, unsigned agents,
                             const TimingConstants &constants) {
  return LoopRun(steps, agents, constants).run();
}
