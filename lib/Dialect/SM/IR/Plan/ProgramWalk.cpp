//===- ProgramWalk.cpp - Loops of roles over programs -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/ProgramWalk.h"

using namespace tessera;
using namespace tessera::sm;

bool sm::isOverPrograms(scf::ForOp loop) {
  Value step = loop.getStep();
  if (auto share = step.getDefiningOp<arith::MulIOp>())
    return share.getLhs().getDefiningOp<CtaCountOp>();
  return step.getDefiningOp<CtaCountOp>();
}

static bool takesTurn(Operation *op) {
  if (isa<RingTakeOp, RingPassOp>(op))
    return true;
  auto take = dyn_cast<PingPongWaitOp>(op);
  auto pass = dyn_cast<PingPongPassOp>(op);
  auto start = dyn_cast<PingPongStartOp>(op);
  return (take && take.getRoles()) || (pass && pass.getRoles()) ||
         (start && start.getRoles());
}

SmallVector<RoleOp> sm::getRolesInTurn(KernelOp kernel) {
  SmallVector<RoleOp> roles;
  for (RoleOp role : kernel.getBody().getOps<RoleOp>()) {
    WalkResult found = role.walk([](Operation *op) {
      return takesTurn(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (found.wasInterrupted())
      roles.push_back(role);
  }
  return roles;
}
