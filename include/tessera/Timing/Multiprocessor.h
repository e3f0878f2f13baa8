//===- Multiprocessor.h - Discrete events of a multiprocessor ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The units of a multiprocessor over time, without values. Agents (warpgroups,
// or single warps) do pieces of work, issue MMAs, start copies and wait. Agents
// that use a unit at the same time share it:
//
// - Register work demands cycles of several units (issue slots, FMA, ALU, …). A
//   warp issues in order, so alone a piece takes the sum of its units. If the
//   agents demand more of a unit than there is, their pieces slow down in
//   proportion.
// - The tensor cores run groups of MMAs one after the other, in the order of
//   their issue. With turns after each instruction, the clock preferred slower
//   orders of gpu/experiments/loop_orders.py.
// - The copy engine serves copies in the order of their start.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TIMING_MULTIPROCESSOR_H
#define TESSERA_TIMING_MULTIPROCESSOR_H

#include "tessera/Support/LLVM.h"
#include "tessera/Timing/TimingConstants.h"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace tessera::timing {

/// The units that register work takes, in cycles.
enum class Unit : unsigned { Issue, Fma, Alu, Special, Shared, Thread };
inline constexpr unsigned kNumUnits = 6;

/// Cycles of each unit, if the work has the unit alone, and a latency at the
/// end that no other work of the agent hides.
struct Work {
  std::array<double, kNumUnits> units = {};
  double latency = 0;
  /// The share of the schedulers on which the agent has warps.
  double share = 1;

  double &operator[](Unit unit) { return units[unsigned(unit)]; }
  double operator[](Unit unit) const { return units[unsigned(unit)]; }
  Work &operator+=(const Work &other);
  /// Returns the sum of the units' cycles, without issue slots.
  double getUnitTime() const;
  /// Returns the cycles that the work takes alone.
  double getTime() const;
};

class Multiprocessor {
public:
  using AgentId = unsigned;
  using Action = std::function<void()>;

  /// How the tensor cores serve warpgroups that have MMAs at the same time. By
  /// instructions: each one runs an instruction, and then the next one. Source:
  /// rows "two groups awaited"; two groups of four instructions of 128 cycles
  /// that begin together end after 1104 and 1214 cycles, one alone after 697.
  /// By groups: in the order of their issue, which is less exact.
  enum class Service { ByInstructions, ByGroups };

  explicit Multiprocessor(const TimingConstants &constants,
                          Service service = Service::ByInstructions)
      : constants(constants), service(service) {}

  double getTime() const { return time; }

  AgentId addAgent();

  /// Does `work`, and then calls `done`.
  void work(AgentId agent, const Work &work, Action done);
  /// Calls `action` after `cycles`.
  void after(double cycles, Action action);
  /// Issues `count` wgmmas of `cycles` each as one group. The agent may work
  /// meanwhile, since ptxas mixes the instructions of both. Calls `completed`
  /// with the time at which the group began to run, when it has run.
  void issue(AgentId agent, double count, double cycles,
             std::function<void(double)> completed = nullptr);
  /// Calls `issued` when all wgmmas that the agent issued are in the queue.
  void afterIssue(AgentId agent, Action issued);
  /// Calls `done` when at most `left` groups of the agent are in flight.
  void await(AgentId agent, size_t left, Action done);
  /// Moves `bytes` by the copy engine, at `rate` bytes per cycle, and calls
  /// `done` when they have arrived.
  void copy(double bytes, double rate, double latency, Action done);

  /// Runs until nothing is left to do.
  void run();

  /// Cycles in which all work needs `unit`.
  double getDemand(Unit unit) const { return demands[unsigned(unit)]; }
  /// Cycles of the unit that all work needs most.
  double getDemand() const {
    return *std::max_element(demands.begin(), demands.end());
  }

  /// Cycles in which the tensor cores had work.
  double getTensorTime() const { return tensorTime; }

private:
  struct Group {
    /// Cycles on the tensor cores that are left.
    double left;
    double instruction;
    double start;
    std::function<void(double)> completed = nullptr;
    /// When it began to run.
    std::optional<double> begun = std::nullopt;

    /// Returns the cycles until the instruction that has begun is complete, or
    /// 0 between two instructions.
    double getLeftOfInstruction() const;
  };
  struct Agent {
    bool isWorking = false;
    Work work;
    double alone = 0;
    /// The share of the work that is left.
    double left = 0;
    Action done;

    std::deque<Group> groups;
    /// Groups that have left the tensor cores, but have not been seen yet.
    size_t retiring = 0;
    /// Whether wgmmas are left to issue, and what comes after the last one.
    bool isIssuing = false, hasIssued = false;
    Action issued;
    Action awaited;
    size_t awaitedLeft = 0;

    /// Returns the wgmmas that are in flight, the running one in part.
    double countInstructions() const;
  };
  struct Event {
    double time;
    uint64_t number;
    Action action;
    bool operator<(const Event &other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  /// Returns the rate at which the work of `agent` proceeds, per cycle.
  double getRate(const Agent &agent) const;
  /// Returns how much longer `unit` takes at this time.
  double getSlowdown(Unit unit) const;
  /// Returns the share of its full rate at which an MMA of `agent` proceeds.
  double getMmaRate(const Agent &agent) const;
  /// Checks whether the tensor cores can run an MMA of `agent`.
  bool isReady(const Agent &agent) const;
  /// Returns the number of such agents.
  unsigned countReady() const;
  /// Chooses the agent whose MMA runs.
  void chooseServed();
  /// Returns how many wgmmas of a warpgroup may wait.
  double getQueueShare() const;
  void advance(double cycles);
  void check(AgentId agent);

  TimingConstants constants;
  Service service;
  double time = 0;
  double tensorTime = 0;
  std::array<double, kNumUnits> demands = {};
  double copyFree = 0;
  uint64_t numEvents = 0;
  std::vector<Agent> agents;
  /// The agent whose MMA runs, or ran last, and whether it has run since it was
  /// chosen.
  std::optional<AgentId> served;
  bool hasRun = false;
  std::priority_queue<Event> events;
};

} // namespace tessera::timing

#endif // TESSERA_TIMING_MULTIPROCESSOR_H
