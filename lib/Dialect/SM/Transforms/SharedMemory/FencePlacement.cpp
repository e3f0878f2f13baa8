//===- FencePlacement.cpp - Where barriers and fences stand -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places fences and barriers by lattice dataflow: a loop is walked until
// nothing more is placed and the state at its head is stable (a fixed point).
// The ordering against ops before the loop is placed before the loop, not at
// the first access, which is in each iteration. The ordering between iterations
// is placed inside, and known first.
//
// Invariant: while a warpgroup has its turn, it does not wait for others. The
// ordering that ops up to `sm.pingpong.pass` need is placed before
// `sm.pingpong.wait`.
//
//===----------------------------------------------------------------------===//

#include "FencePlacement.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void FencePlacement::apply(Operation *op, Need need, AccessState &state) {
  if (need == Need::FenceAndBarrier)
    state.addFence();
  if (need != Need::Nothing)
    state.addBarrier(op);
}

/// If `op` only needs a fence before the last barrier, places it there.
bool FencePlacement::fenceLastBarrier(Operation *op, AccessState &state) {
  Operation *last = state.getLastBarrier();
  if (asked || !last)
    return false;
  AccessState fenced = state;
  fenced.addFenceToLastBarrier();
  if (getNeed(op, fenced) != Need::Nothing)
    return false;
  placed[last] = Need::FenceAndBarrier;
  state = std::move(fenced);
  return true;
}

void FencePlacement::report(Operation *op, Twine message, Operation *other,
                            StringRef note) {
  // Loops are walked several times.
  if (hasFailed)
    return;
  hasFailed = true;
  InFlightDiagnostic error = op->emitOpError() << message;
  error.attachNote(other->getLoc()) << note;
}

void FencePlacement::require(Operation *op, Need need, AccessState &state) {
  auto known = placed.find(op);
  if (known != placed.end()) {
    Need both = std::max(known->second, need);
    if (!asked)
      known->second = both;
    // A fence that would have to be added counts only if it is.
    apply(op, known->second, state);
    if (asked && both != known->second)
      *asked = std::max(*asked, both);
    return;
  }
  if (need == Need::Nothing)
    return;
  if (asked) {
    *asked = std::max(*asked, need);
    return;
  }
  verifyTurn(op);
  placed[op] = need;
  apply(op, need, state);
}

/// Before a barrier at `op`.
void FencePlacement::verifyTurn(Operation *op) {
  if (turn)
    report(
        op,
        "waits for all threads of its role while one warpgroup has its turn, "
        "for which the others wait; expected it before the turn",
        turn, "the turn starts here");
}

Need FencePlacement::getNeed(Operation *op, const AccessState &state) {
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
    return state.getNeed(arrive);
  if (isa<RoleOp>(op))
    return state.getNeedOfRoles();
  Need need = Need::Nothing;
  Operation *inFlight = nullptr;
  for (unsigned access : accesses.of(op))
    need = std::max(need, state.getNeed(access, inFlight));
  if (inFlight)
    report(op,
           "writes shared memory that an operation in flight may still read; "
           "expected it to be awaited first",
           inFlight, "started here");
  return hasOwnBarriers(accesses, op) ? Need::Nothing : need;
}

void FencePlacement::runOp(Operation &op, AccessState &state) {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return runLoop(&op, state);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(branch, state);
  // A turn of the whole role is no turn of one of its warpgroups: no warpgroup
  // of the role waits for its end. Its effect as a barrier is ignored.
  if (auto take = dyn_cast<PingPongWaitOp>(op); take && !take.getRoles())
    takeTurn(take, state);
  if (isa<PingPongPassOp>(op))
    turn = nullptr;
  if (isa<BarrierOp>(op) || hasOwnBarriers(accesses, &op))
    verifyTurn(&op);
  if (isa<BarrierOp, ClusterBarrierOp>(op))
    state.addBarrier();
  if (isa<FenceOp>(op))
    state.addFence();
  if (auto await = dyn_cast<AwaitOpInterface>(op)) {
    if (await.getAwaited() == Completion::Products)
      state.completeProducts(await.getNumLeft());
    else if (await.getNumLeft() == 0)
      state.completeFetches();
  }
  if (auto wait = dyn_cast<MbarrierWaitOp>(op))
    state.waitForStage(wait);
  // Apply the fences and barriers that are placed already.
  require(&op, Need::Nothing, state);
  Need need = getNeed(&op, state);
  if (need != Need::FenceAndBarrier || !fenceLastBarrier(&op, state))
    require(&op, need, state);
  state.perform(&op);
}

void FencePlacement::takeTurn(PingPongWaitOp take, AccessState &state) {
  Need need = Need::Nothing;
  for (Operation *op = take->getNextNode(); op && !isa<PingPongPassOp>(op);
       op = op->getNextNode())
    op->walk([&](Operation *inner) {
      need = std::max(need, getNeed(inner, state));
    });
  require(take, need, state);
  turn = take;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void FencePlacement::runBlock(Block &block, AccessState &state) {
  for (Operation &op : block)
    runOp(op, state);
}

/// The ordering that fetches in `branch` need is needed on the other path as
/// well, by the users of the fetched tiles: it goes before the branch.
void FencePlacement::orderFetches(scf::IfOp branch, AccessState &state) {
  Need need = Need::Nothing;
  for (Operation &op : *branch.thenBlock())
    if (getCompletion(&op) == Completion::Fetches)
      need = std::max(need, getNeed(&op, state));
  require(branch, need, state);
}

void FencePlacement::runIf(scf::IfOp branch, AccessState &state) {
  orderFetches(branch, state);
  AccessState other = state;
  runBlock(*branch.thenBlock(), state);
  if (Block *block = branch.elseBlock())
    runBlock(*block, other);
  state.join(other);
}

/// From the state before `loop` to that after it.
void FencePlacement::runIterations(Operation *loop, AccessState &state) {
  AccessState head = state;
  unsigned rounds = 0;
  for (bool isStable = false; !isStable;) {
    AccessState end = head, exit = head;
    for (Region &region : loop->getRegions())
      end.startIteration(region);
    if (auto whileLoop = dyn_cast<scf::WhileOp>(loop)) {
      runBlock(*whileLoop.getBeforeBody(), end);
      exit = end;
      runBlock(*whileLoop.getAfterBody(), end);
    } else {
      runBlock(*cast<scf::ForOp>(loop).getBody(), end);
    }
    end.join(state);
    // Placed fences and barriers make states smaller, so states may grow or
    // shrink.
    if (++rounds > kMaxRounds)
      end.join(head);
    isStable = end == head;
    head = std::move(end);
    if (isStable)
      state = std::move(exit);
  }
}

void FencePlacement::runLoop(Operation *loop, AccessState &state) {
  require(loop, Need::Nothing, state);
  if (asked)
    return runIterations(loop, state);
  if (knownLoops.insert(loop).second) {
    AccessState nothing(accesses);
    runIterations(loop, nothing);
  }
  Need need = Need::Nothing;
  if (!state.empty()) {
    AccessState entry = state;
    asked = &need;
    runIterations(loop, entry);
    asked = nullptr;
  }
  require(loop, need, state);
  runIterations(loop, state);
}

LogicalResult FencePlacement::placeIn(Block &body) {
  AccessState state(accesses);
  runBlock(body, state);
  return failure(hasFailed);
}

void FencePlacement::materialize(KernelOp kernel, int64_t &numBarriers,
                                 int64_t &numFences) {
  kernel.getBody().walk([&](Operation *op) {
    Need need = placed.lookup(op);
    OpBuilder builder(op);
    if (need == Need::FenceAndBarrier) {
      FenceOp::create(builder, op->getLoc());
      ++numFences;
    }
    if (need != Need::Nothing) {
      BarrierOp::create(builder, op->getLoc());
      ++numBarriers;
    }
  });
}
