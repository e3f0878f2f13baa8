//===- Waits.cpp - Loops that wait for other programs -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds a deadlock between programs: a loop waits for a change of memory that
// nobody makes. Clusters run one after the other, at least from one barrier of
// the grid to the next, so only agents of the cluster itself make changes. A
// warp repeats its iterations if they end with the carried values with which
// they start, and no agent changes anything. Its next iteration is then the
// same, until there is a change. If all warps that have not ended do so, or
// wait for an event that is no barrier of their role, and nothing is in flight,
// there is none.
//
// Warps of a role also exchange values at barriers of the role. Such warps are
// at most one iteration apart. Over several iterations, each iteration of one
// warp has therefore met an iteration of the others that repeats as well.
//
//===----------------------------------------------------------------------===//

#include "Waits.h"

#include "Effects.h"

#include "tessera/Interpreter/Recurrence.h"

using namespace tessera;
using namespace tessera::sim;
using interp::RuntimeValue;

/// Number of equal iterations after which a warp counts as stuck.
static constexpr unsigned kRepetitions = 4;

bool sim::isQuiet(Operation *op) {
  return isa<sm::LoadOp, sm::StoreOp, sm::AtomicOp, sm::BarrierOp, sm::ReduceOp,
             sm::ScanOp, sm::ReduceWithOp, sm::ScanWithOp, sm::RearrangeOp,
             sm::ConvertOp>(op);
}

bool Warp::isStuck() const {
  uint64_t changes = cta.getSimulation().changes;
  return blockedAt == changes || repeatedAt == changes;
}

bool Cluster::isStuck() {
  return Effects(*this).count() == 0 &&
         llvm::all_of(warps, [](const Warp *warp) {
           return warp->isFinished() || warp->isStuck();
         });
}

LogicalResult Warp::noteIteration(Operation *loop,
                                  ArrayRef<RuntimeValue> values) {
  Simulation &simulation = cta.getSimulation();
  Activation &top = stack.back();
  auto carried = top.block->getArguments().drop_front();
  bool isRepeated = llvm::all_of(llvm::zip_equal(carried, values), [&](auto p) {
    return interp::hasSameBits(get(std::get<0>(p)), std::get<1>(p));
  });
  if (!isRepeated)
    ++simulation.changes;
  bool hasChange = top.changes != simulation.changes;
  top.changes = simulation.changes;
  top.repeated = hasChange ? 0 : top.repeated + 1;
  if (top.repeated < kRepetitions)
    return success();
  repeatedAt = simulation.changes;
  if (!cta.getCluster().isStuck())
    return success();
  return report(loop, "deadlock: the loop waits for another program, and every "
                      "program that has started has ended");
}
