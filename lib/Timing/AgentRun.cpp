//===- AgentRun.cpp - Execution of a role without tiles -------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaRun.h"

#include "tessera/Dialect/Tile/IR/EarlyExit.h"
#include "tessera/Timing/OpWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

/// Largest bound of a loop that may end early at which its number of iterations
/// is taken to be the bound.
static constexpr int64_t kMostExitingIterations = 1 << 16;

/// Returns the outermost loop around `op`, or `op` outside of loops.
static Operation *findLoop(Operation *op) {
  Operation *found = op;
  for (Operation *outer = op; outer; outer = outer->getParentOp())
    if (isa<LoopLikeOpInterface>(outer))
      found = outer;
  return found;
}

AgentRun::AgentRun(CtaRun &run, CtaState &cta, RoleOp role, unsigned warpgroup,
                   unsigned peers, bool isRecorded)
    : run(run), cta(cta), role(role), warpgroup(warpgroup), peers(peers),
      isRecorded(isRecorded), id(run.machine.addAgent()),
      scalars(run.kernel, run.sizes, run.getCtaCount()) {
  scalars.setProgram(run.program);
  int64_t all = role ? role.getWarps() : run.kernel.getWarps();
  warps = role && role.getElected() ? 1 : llvm::divideCeil(all, int64_t(peers));
  Block &body = run.kernel.getBody().front();
  frames.push_back({run.kernel, &body, body.begin()});
  if (isShown())
    row = run.timeline->addRow(getName());
}

std::string AgentRun::getName() {
  std::string number = std::to_string(warpgroup);
  if (!role && warps < 4)
    return warps == 1 ? "warp" : "warps";
  if (!role)
    return "warpgroup " + number;
  return role.getName().str() + (peers > 1 ? " " + number : "");
}

void AgentRun::show(size_t row, StringRef name, double begin, Operation *op,
                    StringRef reason) {
  if (run.timeline && op)
    run.timeline->add(
        {row, name.str(), begin, run.machine.getTime(), op, reason});
}

void AgentRun::beginWait(StringRef reason) {
  if (isShown())
    wait = {run.machine.getTime(), reason};
}

/// Describes the event that ends a wait at `op`.
static StringRef describeWait(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<MmaOp, MmaAwaitOp, MmaRetireOp>([](auto) { return "MMAs"; })
      .Case([](MbarrierWaitOp) { return "an mbarrier"; })
      .Case([](BarrierOp) { return "the other warps of the role"; })
      .Case([](PingPongWaitOp) { return "its turn"; })
      .Default([](Operation *) { return "the end of the operation"; });
}

void AgentRun::assign(ValueRange to, ValueRange from) {
  scalars.assign(to, from);
  for (auto [target, source] : llvm::zip(to, from)) {
    auto found = ready.find(source);
    if (found != ready.end())
      ready[target] = found->second;
  }
}

bool AgentRun::flush(Multiprocessor::Action action) {
  // Register work goes on while MMAs are issued; all else waits for the issue.
  return flushWork([this, action = std::move(action)] {
    double begin = run.machine.getTime();
    run.machine.afterIssue(id, [this, action, begin] {
      if (isShown() && place) {
        show(row, "issue of MMAs", begin, place, "the queue of MMAs");
        beginWait(describeWait(place));
      }
      action();
    });
  });
}

bool AgentRun::flushWork(Multiprocessor::Action action) {
  Work work = pending;
  pending = Work();
  if (isShown()) {
    Operation *op = worked ? worked : place;
    worked = nullptr;
    action = [this, op, begin = run.machine.getTime(),
              action = std::move(action)] {
      show(row, op ? op->getName().getStringRef() : "", begin, op);
      action();
    };
  }
  run.machine.work(id, work, std::move(action));
  return false;
}

bool AgentRun::flushAndContinue() {
  return flush([this] { step(); });
}

void AgentRun::step() {
  if (wait) {
    if (place)
      show(row, place->getName().getStringRef(), wait->first, place,
           wait->second);
    wait.reset();
  }
  while (!run.hasFailed()) {
    Frame &frame = frames.back();
    if (frame.next == frame.block->end()) {
      // Kernels and roles have no terminator.
      frames.pop_back();
      if (!frames.empty())
        continue;
      place = nullptr;
      flush([this] { done = true; });
      return;
    }
    place = &*frame.next++;
    if (run.stepsLeft-- == 0)
      return run.fail(findLoop(place), "the iterations are too many to follow");
    double before = isShown() ? pending.getTime() : 0;
    if (!execute(place))
      return;
    if (isShown() && pending.getTime() > before)
      worked = place;
  }
}

int64_t AgentRun::takePeeled(scf::ForOp loop) {
  llvm::DenseMap<Location, int64_t> ofIteration;
  for (auto issue : loop.getBody()->getOps<MmaIssueOp>())
    ++ofIteration[issue.getLoc()];
  int64_t peeled = 0;
  for (auto [where, count] : ofIteration)
    peeled = std::max(peeled, peeledMmas.lookup(where) / count);
  if (!ofIteration.empty())
    peeledMmas.clear();
  return peeled;
}

std::string AgentRun::explainUnknownCount(scf::ForOp loop) const {
  llvm::SetVector<Value> needed;
  needed.insert_range(
      ValueRange{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  // The set grows.
  for (size_t i = 0; i < needed.size(); ++i) {
    if (scalars.get(needed[i]))
      continue;
    if (Operation *op = needed[i].getDefiningOp()) {
      needed.insert_range(op->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(needed[i]);
    if (argument.getOwner() != &run.kernel.getBody().front())
      continue;
    StringRef name = run.kernel.getParamName(argument.getArgNumber());
    if (argument.getType().isIndex())
      return ("the sizes do not determine '" + name + "'").str();
    if (argument.getType().isInteger())
      return ("the number of iterations depends on '" + name +
              "'; only sizes and parameters of type `int` have values here")
          .str();
  }
  return "the number of iterations is not known";
}

bool AgentRun::enterLoop(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    std::optional<LoopBounds> bounds = scalars.getBounds(loop);
    // A loop that may end early, such as a `while`, has no useful bound if the
    // bound is large.
    if (!bounds ||
        (bounds->upper > kMostExitingIterations && tile::findEarlyExit(loop))) {
      run.fail(op, explainUnknownCount(loop));
      return false;
    }
    int64_t peeled = takePeeled(loop);
    if (bounds->lower >= bounds->upper) {
      assign(loop.getResults(), loop.getInitArgs());
      return true;
    }
    assign(loop.getRegionIterArgs(), loop.getInitArgs());
    scalars.set(loop.getInductionVar(), bounds->lower);
    auto [lower, upper, step] = *bounds;
    Frame frame{op,    loop.getBody(), loop.getBody()->begin(),
                lower, upper,          step};
    if (isRecorded && !loop.getBody()->getOps<MmaIssueOp>().empty()) {
      frame.record = run.loops.size();
      run.loops.push_back({op, role, warpgroup, peeled, {}});
    }
    frames.push_back(frame);
    return true;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Region &region = scalars.choose(branch);
    if (!region.empty())
      frames.push_back({op, &region.front(), region.front().begin()});
    return true;
  }
  auto loop = cast<scf::WhileOp>(op);
  assign(loop.getBeforeArguments(), loop.getInits());
  frames.push_back({op, loop.getBeforeBody(), loop.getBeforeBody()->begin()});
  return true;
}

bool AgentRun::finishBlock(Operation *terminator) {
  Frame &frame = frames.back();
  if (auto condition = dyn_cast<scf::ConditionOp>(terminator)) {
    auto loop = cast<scf::WhileOp>(frame.owner);
    std::optional<bool> goesOn = scalars.takeCondition(condition);
    if (!goesOn) {
      run.fail(loop, "the end of the loop is not known");
      return false;
    }
    if (!*goesOn) {
      frames.pop_back();
      return true;
    }
    frame.block = loop.getAfterBody();
    frame.next = frame.block->begin();
    return true;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(frame.owner)) {
    scalars.assign(loop.getBeforeArguments(), terminator->getOperands());
    frame.block = loop.getBeforeBody();
    frame.next = frame.block->begin();
    return true;
  }
  auto loop = dyn_cast<scf::ForOp>(frame.owner);
  if (!loop) {
    scalars.assign(frame.owner->getResults(), terminator->getOperands());
    frames.pop_back();
    return true;
  }
  if (frame.record)
    run.loops[*frame.record].ends.push_back(run.machine.getTime());
  frame.index += frame.step;
  if (frame.index >= frame.upper) {
    scalars.assign(loop.getResults(), terminator->getOperands());
    frames.pop_back();
    return true;
  }
  scalars.assign(loop.getRegionIterArgs(), terminator->getOperands());
  scalars.set(loop.getInductionVar(), frame.index);
  frame.next = frame.block->begin();
  return true;
}

bool AgentRun::execute(Operation *op) {
  // Waits for operands that are still loaded.
  double latest = 0;
  for (Value operand : op->getOperands()) {
    auto found = ready.find(operand);
    if (found == ready.end() || isa<MmaIssueOp>(op))
      continue;
    latest = std::max(latest, found->second);
    ready.erase(found);
  }
  if (latest > run.machine.getTime()) {
    --frames.back().next;
    return flushWork([this, latest] {
      beginWait("its operands");
      run.machine.after(std::max(0.0, latest - run.machine.getTime()),
                        [this] { step(); });
    });
  }
  if (auto inner = dyn_cast<RoleOp>(op)) {
    if (inner == role)
      frames.push_back(
          {op, &inner.getBody().front(), inner.getBody().front().begin()});
    return true;
  }
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return enterLoop(op);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return op->getBlock()->getParentOp() == run.kernel || finishBlock(op);
  assert((op->getNumRegions() == 0 || isa<ReduceWithOp, ScanWithOp>(op)) &&
         "sm-place-fences has refused the region");
  return synchronise(op);
}

void AgentRun::addFetch(Value global, SmemType tile) {
  Work work;
  work[Unit::Thread] =
      double(tile.getBytes()) / peers / run.traffic.getFetchRate(global);
  pending += work;
}

bool AgentRun::issueMma(Operation *op, Multiprocessor::Action issued) {
  pending.latency += run.constants.mmaSetup;
  return flush([this, op, issued] {
    MmaWork mma = getMmaWork(op, peers, run.constants);
    run.energy += mma.count * (mma.cycles * run.constants.mmaEnergy +
                               mma.bytes * run.constants.operandEnergy);
    run.machine.issue(id, mma.count, mma.cycles, [this, op](double begin) {
      show(run.tensorRow,
           isRecorded ? op->getName().getStringRef() : "MMA of another CTA",
           begin, op);
    });
    issued();
  });
}

bool AgentRun::synchronise(Operation *op) {
  Multiprocessor &machine = run.machine;
  const TimingConstants &constants = run.constants;
  auto goOn = [this] { step(); };
  /// The key of a barrier, and its number; the first one if it is not known.
  auto getIndex = [&](Value index) { return scalars.get(index).value_or(0); };
  auto arrive = [&](Value barrier, int64_t index, int64_t count, double bytes) {
    auto alloc = barrier.getDefiningOp<MbarrierAllocOp>();
    run.arrive(cta, alloc, index, count, alloc.getArrivals(), bytes);
  };

  return TypeSwitch<Operation *, bool>(op)
      .Case([&](MmaIssueOp issue) {
        if (llvm::none_of(frames, [](const Frame &f) { return f.record; }))
          ++peeledMmas[issue.getLoc()];
        return issueMma(issue, goOn);
      })
      .Case([&](MmaOp mma) {
        return issueMma(mma, [this, goOn] { run.machine.await(id, 0, goOn); });
      })
      .Case<MmaAwaitOp, MmaRetireOp>([&](auto await) {
        size_t left = await.getLeave();
        return flush([this, left, goOn] { run.machine.await(id, left, goOn); });
      })
      .Case([&](MbarrierWaitOp wait) {
        void *key = wait.getBarrier().getDefiningOp();
        int64_t index = getIndex(wait.getIndex()),
                parity = getIndex(wait.getParity());
        // ptxas asks for the phase ahead of the work before the wait.
        double ready =
            std::max(0.0, run.constants.readyWait - pending.getTime());
        return flush([this, key, index, parity, ready, goOn] {
          BarrierState &state = cta.barriers[{key, index}];
          if ((state.phases & 1) != parity)
            run.machine.after(ready, goOn);
          else
            state.waiters.push_back({parity, goOn});
        });
      })
      .Case([&](MbarrierArriveOp arrival) {
        Value barrier = arrival.getBarrier();
        int64_t index = getIndex(arrival.getIndex());
        int64_t count = arrival.getWarps()     ? warps
                        : arrival.getFetches() ? warps * 32
                        : arrival.getCluster() ? run.kernel.getClusterSize()
                                               : 1;
        double delay = arrival.getFetches()
                           ? std::max(0.0, fetched - machine.getTime())
                           : 0;
        return flush([this, barrier, index, count, delay, arrive, goOn] {
          if (delay > 0)
            run.machine.after(delay, [=] { arrive(barrier, index, count, 0); });
          else
            arrive(barrier, index, count, 0);
          goOn();
        });
      })
      .Case([&](MbarrierExpectOp expect) {
        arrive(expect.getBarrier(), getIndex(expect.getIndex()), 0,
               expect.getBytes());
        arrive(expect.getBarrier(), getIndex(expect.getIndex()), 1, 0);
        return true;
      })
      .Case([&](TmaLoadOp load) {
        Value barrier = load.getBarrier();
        int64_t index = getIndex(load.getIndex());
        double bytes = load.getTile().getType().getBytes();
        // Each CTA of a cluster reads a part.
        double read =
            load.getMulticast() ? bytes / run.kernel.getClusterSize() : bytes;
        run.energy += read * constants.copyEnergy;
        machine.copy(read, run.traffic.getCopyRate(load.getGlobal()),
                     constants.copyLatency,
                     [this, arrive, barrier, index, bytes, load,
                      begin = machine.getTime()] {
                       if (isRecorded)
                         show(run.copyRow, load->getName().getStringRef(),
                              begin, load);
                       arrive(barrier, index, 0, -bytes);
                     });
        return true;
      })
      .Case([&](CopyStoreOp store) {
        double bytes = store.getValue().getType().getBytes();
        beginWait("the copy");
        machine.after(
            bytes / (store.getAdd() ? constants.addRate : constants.copyRate),
            goOn);
        return false;
      })
      .Case([&](FetchOp fetch) {
        addFetch(fetch.getGlobal(), fetch.getType());
        pending.latency += constants.fetchLatency;
        return flushAndContinue();
      })
      .Case([&](FetchStartOp fetch) {
        addFetch(fetch.getGlobal(), fetch.getTile().getType());
        fetched = std::max(fetched, machine.getTime() + constants.loadLatency);
        return true;
      })
      .Case([&](LoadOp load) {
        Work work = run.works.get(op, peers);
        if (isRegisterTile(load.getType())) {
          AccessTime time = run.traffic.load(load, cta.loaded);
          work[Unit::Thread] = time.cycles / peers;
          cta.trafficCycles += time.cycles / peers;
          ready[load] = machine.getTime() + time.latency + work.latency;
          work.latency = 0;
        }
        pending += work;
        return true;
      })
      .Case([&](StoreOp store) {
        Work work = run.works.get(op, peers);
        if (isRegisterTile(store.getValue().getType())) {
          work[Unit::Thread] = run.traffic.store(store).cycles / peers;
          cta.trafficCycles += work[Unit::Thread];
          pending.latency += work.latency;
          work.latency = 0;
        }
        pending += work;
        return true;
      })
      .Case([&](SmemLoadOp load) {
        pending += run.works.get(op, peers);
        ready[load] = machine.getTime() + constants.sharedLatency;
        return true;
      })
      .Case([&](FenceOp) {
        pending.latency += constants.fence;
        return flushAndContinue();
      })
      .Case([&](BarrierOp barrier) {
        if (peers == 1) {
          pending.latency += barrier.getGrid()           ? constants.gridMeeting
                             : role && role.getElected() ? 0
                                                         : constants.ownMeeting;
          return true;
        }
        double latency =
            barrier.getGrid() ? constants.gridMeeting : constants.meeting;
        return flush([this, goOn, latency] {
          auto &waiting = cta.meetings[role ? role.getOperation()
                                            : run.kernel.getOperation()];
          waiting.push_back(goOn);
          if (waiting.size() < peers)
            return;
          auto all = std::move(waiting);
          waiting.clear();
          for (auto &action : all)
            run.machine.after(latency, std::move(action));
        });
      })
      .Case([&](PingPongStartOp) {
        if (warpgroup + 1 == peers)
          ++next->turns;
        return true;
      })
      .Case([&](PingPongWaitOp) {
        return flush([this, goOn] {
          if (turns > 0) {
            --turns;
            return goOn();
          }
          waitsForTurn = goOn;
        });
      })
      .Case([&](PingPongPassOp) {
        return flush([this, goOn] {
          AgentRun *other = next;
          run.machine.after(run.constants.handOver, [other] {
            ++other->turns;
            if (!other->waitsForTurn)
              return;
            --other->turns;
            auto action = std::move(other->waitsForTurn);
            other->waitsForTurn = nullptr;
            action();
          });
          goOn();
        });
      })
      .Case([&](NextProgramOp next) {
        // The other CTAs take as many programs.
        cta.nextProgram += run.getCtaCount();
        scalars.set(next, run.program + cta.nextProgram);
        pending.latency += 2 * constants.loadLatency;
        return flushAndContinue();
      })
      .Case([&](WordsStoreOp store) {
        if (std::optional<int64_t> number = scalars.get(store.getNumber()))
          cta.words[{store.getWords().getDefiningOp(),
                     getIndex(store.getIndex())}] = *number;
        return true;
      })
      .Case([&](WordsLoadOp load) {
        auto found = cta.words.find(
            {load.getWords().getDefiningOp(), getIndex(load.getIndex())});
        if (found != cta.words.end())
          scalars.set(load, found->second);
        pending.latency += constants.sharedLatency;
        return flushAndContinue();
      })
      .Default([&](Operation *) {
        if (failed(scalars.evaluate(op)))
          run.fail(op, "the sizes do not determine " +
                           cast<tile::SizeOp>(op).getSize().str());
        Work work = run.works.get(op, peers);
        if (warps < 4)
          work.share = double(warps) / 4;
        bool ends = isa<ConvertOp, RearrangeOp, ReduceOp, ReduceWithOp,
                        TmaStoreOp, AnyOp>(op) &&
                    work.latency > constants.latency;
        pending += work;
        return ends ? flushWork([this] { step(); }) : true;
      });
}
