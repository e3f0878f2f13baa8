//===- CtaRun.h - Execution of a CTA without tiles --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The agents of one or several equal CTAs on a Multiprocessor. An agent runs
// the operations of its role: scalars have values, tiles have the time at which
// they are ready. Work between two operations that synchronise is one piece,
// since ptxas orders instructions freely between them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TIMING_CTARUN_H
#define TESSERA_LIB_TIMING_CTARUN_H

#include "GlobalTraffic.h"
#include "ScalarValues.h"

#include "tessera/Timing/KernelClock.h"
#include "tessera/Timing/Multiprocessor.h"
#include "tessera/Timing/OpWork.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <list>
#include <map>

namespace tessera::timing {

class AgentRun;

/// One mbarrier.
struct BarrierState {
  int64_t arrivals = 0;
  double pendingBytes = 0;
  int64_t phases = 0;
  std::vector<std::pair<int64_t, Multiprocessor::Action>> waiters;
};

/// The state that the agents of a CTA share.
struct CtaState {
  std::map<std::pair<void *, int64_t>, BarrierState> barriers;
  /// Numbers in shared memory.
  std::map<std::pair<void *, int64_t>, int64_t> words;
  /// By role: the agents that have come to its barrier, and their
  /// continuations.
  llvm::DenseMap<Operation *, std::vector<Multiprocessor::Action>> meetings;
  int64_t nextProgram = 0;
  LoadedBytes loaded;
  double trafficCycles = 0;
};

class CtaRun {
public:
  CtaRun(sm::KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
         const TimingConstants &constants, WorkTable &works, int64_t residents,
         Timeline *timeline);
  ~CtaRun();

  llvm::Expected<CtaTime> run(int64_t program);

  int64_t getCtaCount() const;
  /// Notes why the run cannot go on.
  void fail(Operation *op, const Twine &reason);
  bool hasFailed() const { return !failure.empty(); }

  void arrive(CtaState &cta, void *barrier, int64_t index, int64_t count,
              int64_t expected, double bytes);

  sm::KernelOp kernel;
  const llvm::StringMap<int64_t> &sizes;
  TimingConstants constants;
  WorkTable &works;
  int64_t residents;
  GlobalTraffic traffic;
  int64_t program = 0;
  Multiprocessor machine;
  std::vector<LoopTime> loops;
  /// The energy of MMAs and copies of all CTAs.
  double energy = 0;
  /// The slices of the first CTA, if they are wanted, and the rows of its
  /// units.
  Timeline *timeline;
  size_t tensorRow = 0, copyRow = 0;
  /// Operations that the agents may still execute.
  int64_t stepsLeft = kMostSteps;

private:
  /// A run of so many operations takes seconds.
  static constexpr int64_t kMostSteps = int64_t(1) << 23;

  std::string failure;
  std::list<CtaState> ctas;
  std::vector<std::unique_ptr<AgentRun>> agents;
};

/// One agent of a CTA.
class AgentRun {
public:
  AgentRun(CtaRun &run, CtaState &cta, sm::RoleOp role, unsigned warpgroup,
           unsigned peers, bool isRecorded);
  /// Names the agent in a timeline.
  std::string getName();

  /// Runs until the agent waits.
  void step();

  bool isDone() const { return done; }
  Operation *getPlace() const { return place; }

  /// The agent that has its turn after this one, and whether it is this one's.
  AgentRun *next = nullptr;
  int64_t turns = 0;
  Multiprocessor::Action waitsForTurn;

private:
  struct Frame {
    Operation *owner;
    Block *block;
    Block::iterator next;
    int64_t index = 0, upper = 0, step = 1;
    /// The place of the loop in `CtaRun::loops`, if it is recorded.
    std::optional<size_t> record = std::nullopt;
  };

  /// Each returns false if the agent has to wait; it then goes on by itself.
  bool execute(Operation *op);
  bool enterLoop(Operation *op);
  bool finishBlock(Operation *terminator);
  bool synchronise(Operation *op);
  /// Issues the MMAs of `op`, and then calls `issued`.
  bool issueMma(Operation *op, Multiprocessor::Action issued);

  /// Names the parameter without a value that the bounds of a loop depend on.
  std::string explainUnknownCount(scf::ForOp loop) const;
  /// Counts iterations of `loop` that were peeled off before it, from the MMAs
  /// that the agent has issued for the same places in the source.
  int64_t takePeeled(scf::ForOp loop);
  /// Adds the work of a copy of a part of `global` to `tile` by threads.
  void addFetch(Value global, sm::SmemType tile);

  /// Assigns values, and the times at which they are ready.
  void assign(ValueRange to, ValueRange from);
  /// Does the pending work first, waits for the issue of MMAs, and then calls
  /// `action`.
  bool flush(Multiprocessor::Action action);
  /// The same, without a wait for MMAs.
  bool flushWork(Multiprocessor::Action action);
  /// As `flush`, and goes on with the next operation afterwards.
  bool flushAndContinue();
  /// Checks whether the timeline shows the agent.
  bool isShown() const { return isRecorded && run.timeline; }
  /// Shows what `op` does from `begin` until now in a row of the timeline.
  void show(size_t row, StringRef name, double begin, Operation *op,
            StringRef reason = "");
  /// Shows the time until the next operation as a wait for `reason`.
  void beginWait(StringRef reason);

  CtaRun &run;
  CtaState &cta;
  sm::RoleOp role;
  unsigned warpgroup, peers;
  bool isRecorded;
  /// In the timeline: the row, the last operation of the pending work, and the
  /// wait that has begun.
  size_t row = 0;
  Operation *worked = nullptr;
  std::optional<std::pair<double, StringRef>> wait;
  bool done = false;
  Operation *place = nullptr;
  Multiprocessor::AgentId id;
  /// Warps of the agent, and their share of the schedulers.
  int64_t warps;
  Work pending;
  ScalarValues scalars;
  /// When tiles that were loaded are ready.
  llvm::DenseMap<Value, double> ready;
  /// MMAs of no loop since the last loop with MMAs, by place in the source.
  llvm::DenseMap<Location, int64_t> peeledMmas;
  /// When the fetches of the agent are complete.
  double fetched = 0;
  SmallVector<Frame> frames;
};

} // namespace tessera::timing

#endif // TESSERA_LIB_TIMING_CTARUN_H
