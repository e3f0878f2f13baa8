//===- Multiprocessor.cpp - Discrete events of a multiprocessor -----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Method: fluid simulation. Between two events each piece of work and each MMA
// proceeds at a constant rate. An event is the end of a piece or of an MMA
// group, the point where an issue stops blocking, or a time that was set.
//
//===----------------------------------------------------------------------===//

#include "tessera/Timing/Multiprocessor.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::timing;

/// Differences below this number of cycles are rounding errors.
static constexpr double kEpsilon = 1e-6;

/// A warp alone takes longer than its units, since it waits for its own
/// results. Source: the softmax of attention with heads of 128, 1127 cycles
/// between two marks of gpu/experiments/trace_events.py.
static constexpr double kStalls = 1.3;

Work &Work::operator+=(const Work &other) {
  for (auto [own, added] : llvm::zip(units, other.units))
    own += added;
  latency = std::max(latency, other.latency);
  share = std::min(share, other.share);
  return *this;
}

double Work::getUnitTime() const {
  double sum = 0;
  for (unsigned unit = 0; unit < kNumUnits; ++unit)
    if (Unit(unit) != Unit::Issue)
      sum += units[unit];
  return sum;
}

double Work::getTime() const {
  return std::max((*this)[Unit::Issue], kStalls * getUnitTime()) + latency;
}

Multiprocessor::AgentId Multiprocessor::addAgent() {
  agents.emplace_back();
  return agents.size() - 1;
}

void Multiprocessor::after(double cycles, Action action) {
  events.push({time + cycles, numEvents++, std::move(action)});
}

void Multiprocessor::work(AgentId agent, const Work &work, Action done) {
  Agent &worker = agents[agent];
  assert(!worker.isWorking && "an agent does one piece of work at a time");
  for (auto [demand, own] : llvm::zip(demands, work.units))
    demand += work.share * own;
  worker.alone = work.getTime();
  if (worker.alone < kEpsilon)
    return after(0, std::move(done));
  worker.isWorking = true;
  worker.work = work;
  worker.left = 1;
  worker.done = std::move(done);
}

void Multiprocessor::issue(AgentId agent, double count, double cycles,
                           std::function<void(double)> completed) {
  Agent &issuer = agents[agent];
  issuer.groups.push_back(
      {count * cycles, cycles,
       time + (issuer.groups.empty() ? constants.mmaStart : 0),
       std::move(completed)});
  // Wakes the machine when the group may start.
  after(issuer.groups.back().start - time, [] {});
  issuer.isIssuing = issuer.hasIssued = true;
}

void Multiprocessor::afterIssue(AgentId agent, Action issued) {
  if (!agents[agent].isIssuing)
    return issued();
  agents[agent].issued = std::move(issued);
}

void Multiprocessor::await(AgentId agent, size_t left, Action done) {
  agents[agent].awaited = std::move(done);
  agents[agent].awaitedLeft = left;
}

void Multiprocessor::copy(double bytes, double rate, double latency,
                          Action done) {
  copyFree = std::max(copyFree, time) + bytes / rate;
  after(copyFree - time + latency, std::move(done));
}

double Multiprocessor::getSlowdown(Unit unit) const {
  return unit == Unit::Issue && served ? constants.issueBesideMma : 1;
}

double Multiprocessor::getRate(const Agent &agent) const {
  double time = agent.alone, issue = 0;
  for (unsigned unit = 0; unit < kNumUnits; ++unit) {
    double own = agent.work.units[unit];
    if (own == 0)
      continue;
    double demand = 0;
    for (const Agent &other : agents)
      if (other.isWorking)
        demand += other.work.share * other.work.units[unit] / other.alone;
    double slowdown = std::max(demand, 1.0) * getSlowdown(Unit(unit));
    if (Unit(unit) == Unit::Issue)
      issue = own * slowdown;
    else // The part of the time that this unit takes grows.
      time += kStalls * own * (slowdown - 1);
  }
  return 1 / std::max(time, issue);
}

double Multiprocessor::getMmaRate(const Agent &agent) const {
  double busy = 0;
  for (const Agent &other : agents)
    if (other.isWorking)
      busy += other.work.share * other.work[Unit::Issue] * getRate(other);
  double instruction = agent.groups.front().instruction;
  double slow =
      constants.mmaBesideIssue * std::min(1.0, busy * constants.issueBesideMma);
  return instruction / (instruction + slow);
}

bool Multiprocessor::isReady(const Agent &agent) const {
  return !agent.groups.empty() && agent.groups.front().start <= time + kEpsilon;
}

unsigned Multiprocessor::countReady() const {
  return llvm::count_if(agents,
                        [&](const Agent &agent) { return isReady(agent); });
}

double Multiprocessor::Group::getLeftOfInstruction() const {
  double begun = std::fmod(left, instruction);
  return begun > kEpsilon && begun < instruction - kEpsilon ? begun : 0;
}

void Multiprocessor::chooseServed() {
  if (service == Service::ByGroups) {
    served.reset();
    for (auto [number, agent] : llvm::enumerate(agents))
      if (isReady(agent) &&
          (!served ||
           agent.groups.front().start < agents[*served].groups.front().start))
        served = number;
    return;
  }
  if (served && isReady(agents[*served]) &&
      (!hasRun || agents[*served].groups.front().getLeftOfInstruction() > 0))
    return;
  hasRun = false;
  AgentId last = served.value_or(agents.size() - 1);
  served.reset();
  for (AgentId i = 1; i <= agents.size() && !served; ++i)
    if (AgentId next = (last + i) % agents.size(); isReady(agents[next]))
      served = next;
}

double Multiprocessor::Agent::countInstructions() const {
  double count = 0;
  for (const Group &group : groups)
    count += group.left / group.instruction;
  return count;
}

double Multiprocessor::getQueueShare() const {
  unsigned users = llvm::count_if(
      agents, [](const Agent &agent) { return agent.hasIssued; });
  return constants.mmaQueue / std::max(users, 1u);
}

/// Lets the issue and the wait of `agent` end if they can.
void Multiprocessor::check(AgentId number) {
  Agent &agent = agents[number];
  if (agent.isIssuing &&
      agent.countInstructions() <= getQueueShare() + kEpsilon) {
    agent.isIssuing = false;
    if (agent.issued) {
      Action issued = std::move(agent.issued);
      agent.issued = nullptr;
      after(0, std::move(issued));
    }
  }
  if (agent.awaited &&
      agent.groups.size() + agent.retiring <= agent.awaitedLeft) {
    Action awaited = std::move(agent.awaited);
    agent.awaited = nullptr;
    after(0, std::move(awaited));
  }
}

void Multiprocessor::advance(double cycles) {
  double mmaRate = served ? getMmaRate(agents[*served]) : 0;
  if (served) {
    hasRun |= cycles > kEpsilon;
    tensorTime += cycles;
    Group &group = agents[*served].groups.front();
    if (!group.begun)
      group.begun = time;
  }
  SmallVector<double> rates;
  for (const Agent &agent : agents)
    rates.push_back(agent.isWorking ? getRate(agent) : 0);
  time += cycles;
  for (auto [agent, rate] : llvm::zip(agents, rates)) {
    if (!agent.isWorking)
      continue;
    agent.left -= rate * cycles;
    if (agent.left < kEpsilon) {
      agent.isWorking = false;
      after(0, std::move(agent.done));
    }
  }
  if (!served)
    return;
  Agent &agent = agents[*served];
  Group &group = agent.groups.front();
  group.left -= cycles * mmaRate;
  if (group.left > kEpsilon)
    return;
  if (group.completed)
    group.completed(*group.begun);
  agent.groups.pop_front();
  ++agent.retiring;
  after(constants.mmaLatency, [this, number = *served] {
    --agents[number].retiring;
    check(number);
  });
}

void Multiprocessor::run() {
  while (true) {
    for (AgentId number = 0; number < agents.size(); ++number)
      check(number);
    chooseServed();
    // The next time at which something changes.
    double next = events.empty() ? -1 : events.top().time - time;
    auto consider = [&](double cycles) {
      if (next < 0 || cycles < next)
        next = std::max(cycles, 0.0);
    };
    for (const Agent &agent : agents)
      if (agent.isWorking)
        consider(agent.left / getRate(agent));
    if (served) {
      const Agent &agent = agents[*served];
      const Group &first = agent.groups.front();
      double rate = getMmaRate(agent);
      // At the end of an instruction, it is another warpgroup's turn.
      double own = first.getLeftOfInstruction();
      bool takesTurns = service == Service::ByInstructions && countReady() > 1;
      consider((!takesTurns ? first.left
                : own > 0   ? own
                            : first.instruction) /
               rate);
      // The issue ends when few enough instructions wait.
      double excess = agent.countInstructions() - getQueueShare();
      if (agent.isIssuing && excess > 0 &&
          excess * first.instruction <= first.left)
        consider(excess * first.instruction / rate);
    }
    if (next < 0)
      return;
    advance(next);
    while (!events.empty() && events.top().time <= time + kEpsilon) {
      Action action = std::move(const_cast<Event &>(events.top()).action);
      events.pop();
      action();
    }
  }
}
