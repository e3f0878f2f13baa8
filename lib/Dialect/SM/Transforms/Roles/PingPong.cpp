//===- PingPong.cpp - Roles that compute programs in turn -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PingPong.h"

#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the loop over programs, if nothing else in `block` takes slots or
/// writes.
static OrReason<scf::ForOp> findProgramLoop(Block &block) {
  SmallVector<scf::ForOp> loops;
  for (auto loop : block.getOps<scf::ForOp>())
    if (isOverPrograms(loop))
      loops.push_back(loop);
  if (loops.size() != 1 || loops.front().getNumRegionIterArgs() != 0)
    return "no loop in it walks over programs by itself";
  for (Operation &op : block)
    if (&op != loops.front() && !isMemoryEffectFree(&op) && !isa<LoadOp>(op))
      return "outside of the loop over programs it does more than compute";
  return loops.front();
}

/// Lets role number `index` of `count` run its share of the programs.
static void takeShare(scf::ForOp loop, int64_t index, int64_t count) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  auto multiply = [&](int64_t factor) -> Value {
    Value number = arith::ConstantIndexOp::create(builder, loc, factor);
    return arith::MulIOp::create(builder, loc, loop.getStep(), number);
  };
  Value first = loop.getLowerBound();
  if (index > 0)
    first = arith::AddIOp::create(
        builder, loc, first, index == 1 ? loop.getStep() : multiply(index));
  Value step = multiply(count);
  loop.setLowerBound(first);
  loop.setStep(step);
}

/// Takes over the rings before the first slot, and passes them after the last
/// one, whose slot need not be released before.
static void takeAndPass(Block &body) {
  SetVector<Value> rings;
  Operation *first = nullptr, *last = nullptr;
  for (Operation &op : body)
    op.walk([&](RingWaitOp wait) {
      rings.insert(wait.getRing());
      first = first ? first : &op;
      last = &op;
    });
  OpBuilder builder(first);
  RingTakeOp::create(builder, first->getLoc(), rings.getArrayRef());
  builder.setInsertionPointAfter(last);
  RingPassOp::create(builder, last->getLoc(), rings.getArrayRef());
}

/// Checks whether programs wait for each other, as for a lock. A role that
/// waits keeps the slots that the role with the lock may need next.
static bool waitsForPrograms(KernelOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    auto atomic = dyn_cast<AtomicOp>(op);
    bool waits =
        (atomic && tile::acquires(atomic.getOrder())) || sm::isGridBarrier(op);
    return waits ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

Reason sm::getPingPongObstacle(KernelOp kernel) {
  if (waitsForPrograms(kernel))
    return "its programs may wait for each other";
  if (kernel.getPersistent())
    return findProgramLoop(kernel.getBody().front()).getReason();
  return "a block computes only one program";
}

void sm::computeInTurn(RoleOp math, int64_t count) {
  takeAndPass(*findProgramLoop(math.getBody().front())->getBody());
  OpBuilder builder(math);
  builder.setInsertionPointAfter(math);
  std::string name = math.getName().str();
  SmallVector<RoleOp> roles{math};
  while (static_cast<int64_t>(roles.size()) < count)
    roles.push_back(cast<RoleOp>(builder.clone(*math)));
  for (auto [index, role] : llvm::enumerate(roles)) {
    role.setName((name + Twine(index)).str());
    takeShare(*findProgramLoop(role.getBody().front()), index, count);
  }
}
