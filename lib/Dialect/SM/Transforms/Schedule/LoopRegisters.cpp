//===- LoopRegisters.cpp - Registers of a scheduled loop --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopRegisters.h"
#include "PlannedLoop.h"
#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/RegisterPressure.h"

#include "mlir/IR/IRMapping.h"

using namespace tessera;
using namespace tessera::sm;

/// Raises `peak` to the registers that `op` and the ops within it take.
static void raisePeak(RegisterPeak &peak, Operation *op,
                      const RegisterPressure &pressure) {
  op->walk([&](Operation *inner) {
    int64_t registers = pressure.at(inner);
    peak.ofAll = std::max(peak.ofAll, registers);
    if (isa<MmaOp, MmaIssueOp, MmaAwaitOp>(inner))
      peak.ofProducts = std::max(peak.ofProducts, registers);
  });
}

RegisterPeak sm::getAvailableRegisters(scf::ForOp loop) {
  auto role = loop->getParentOfType<RoleOp>();
  RegisterPressure pressure(role);
  RegisterPeak available;
  raisePeak(available, loop, pressure);
  int64_t forTiles = pressure.getRoomForTiles(getRegisterBudget(role));
  available.ofAll = std::max(available.ofAll, forTiles + cost::kSliceLeeway);
  available.ofProducts =
      std::max(available.ofProducts, forTiles - cost::kMmaGap);
  return available;
}

/// Returns the registers of `loop` once its schedule is applied.
static RegisterPeak getScheduledPeak(scf::ForOp loop) {
  auto role = loop->getParentOfType<RoleOp>();
  IRMapping mapping;
  auto trial = cast<RoleOp>(OpBuilder(role).clone(*role, mapping));
  auto planned = cast<scf::ForOp>(mapping.lookup(loop.getOperation()));
  // A scheduled loop may be replaced, by several ops.
  Operation *before = planned->getPrevNode(), *end = planned->getNextNode();
  Block *block = planned->getBlock();
  applySchedule(*DependenceGraph::get(planned, [](Operation *, Twine) {}));
  RegisterPressure pressure(trial);
  RegisterPeak peak;
  for (Operation *op = before ? before->getNextNode() : &block->front();
       op != end; op = op->getNextNode())
    raisePeak(peak, op, pressure);
  trial.erase();
  return peak;
}

OrReason<int64_t> sm::getTakenLeeway(scf::ForOp loop,
                                     const RegisterPeak &available,
                                     const RegisterLimit &limit) {
  RegisterPeak peak = getScheduledPeak(loop);
  int64_t ofAll = available.ofAll + limit.reloaded;
  int64_t ofProducts = available.ofProducts + limit.reloaded;
  auto exceeds = [&](int64_t needed, int64_t most) {
    return "tiles would take " + std::to_string(needed) + " of " +
           std::to_string(most) + " registers of a thread";
  };
  if (peak.ofProducts > ofProducts + limit.leeway)
    return exceeds(peak.ofProducts, ofProducts + limit.leeway);
  if (peak.ofAll > ofAll + limit.leeway)
    return exceeds(peak.ofAll, ofAll + limit.leeway);
  return std::max(
      {peak.ofProducts - ofProducts, peak.ofAll - ofAll, int64_t(0)});
}
