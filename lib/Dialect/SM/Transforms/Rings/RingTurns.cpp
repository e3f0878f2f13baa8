//===- RingTurns.cpp - Rings that roles use in turn -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingTurns.h"

#include "tessera/Dialect/SM/IR/ProgramWalk.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// Walks over the ops that a role executes. `turn` is the op that gives the
/// role its turn, null while it has none.
class TurnCheck {
public:
  explicit TurnCheck(const RingTurns &turns) : turns(turns) {}

  LogicalResult verify(RoleOp role);

private:
  LogicalResult verify(Block &block, Operation *&turn);
  LogicalResult verify(Operation &op, Operation *&turn);

  const RingTurns &turns;
};
} // namespace

static LogicalResult fail(Operation *op, StringRef message, Operation *turn) {
  InFlightDiagnostic error = op->emitOpError() << message;
  if (turn)
    error.attachNote(turn->getLoc()) << "the turn starts here";
  return error;
}

LogicalResult TurnCheck::verify(Operation &op, Operation *&turn) {
  if (isa<RingTakeOp>(op)) {
    if (turn)
      return fail(&op, "takes rings that this role has already", turn);
    turn = &op;
    return success();
  }
  if (isa<RingPassOp>(op)) {
    if (!turn)
      return fail(&op, "passes rings that this role has not taken", nullptr);
    turn = nullptr;
    return success();
  }
  if (auto wait = dyn_cast<RingWaitOp>(op))
    if (!turn && turns.contains(wait.getRing()))
      return fail(&op,
                  "waits for a slot of a ring that roles use in turn; "
                  "expected it between 'sm.ring.take' and 'sm.ring.pass'",
                  nullptr);
  // All ways through an op end with the turn, or all without.
  Operation *before = turn;
  std::optional<Operation *> after;
  for (Region &region : op.getRegions())
    for (Block &block : region) {
      Operation *end = before;
      if (failed(verify(block, end)))
        return failure();
      if (after && !*after != !end)
        return fail(&op,
                    "ends with the turn on one way and without it on "
                    "another",
                    end ? end : *after);
      after = end;
    }
  if (!after)
    return success();
  bool mayBeSkipped =
      !isa<scf::IfOp>(op) || cast<scf::IfOp>(op).getElseRegion().empty();
  if (mayBeSkipped && !*after != !before)
    return fail(&op, "takes or passes rings, but may do so never or often",
                *after ? *after : before);
  turn = *after;
  return success();
}

LogicalResult TurnCheck::verify(Block &block, Operation *&turn) {
  for (Operation &op : block)
    if (failed(verify(op, turn)))
      return failure();
  return success();
}

LogicalResult TurnCheck::verify(RoleOp role) {
  Operation *turn = nullptr;
  if (failed(verify(role.getBody().front(), turn)))
    return failure();
  if (turn)
    return turn->emitOpError() << "takes rings that its role does not pass";
  return success();
}

FailureOr<RingTurns> sm::verifyRingTurns(KernelOp kernel) {
  RingTurns turns;
  Operation *first = nullptr;
  WalkResult walk = kernel.getBody().walk([&](Operation *op) {
    if (!isa<RingTakeOp, RingPassOp>(op))
      return WalkResult::advance();
    if (!first) {
      first = op;
      llvm::append_range(turns.rings, op->getOperands());
    }
    if (llvm::equal(op->getOperands(), turns.rings))
      return WalkResult::advance();
    InFlightDiagnostic error = op->emitOpError()
                               << "expected the same rings as at other turns "
                                  "of the kernel, in their order";
    error.attachNote(first->getLoc()) << "others are here";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  if (!first)
    return turns;
  turns.roles = getRolesInTurn(kernel);
  if (turns.roles.size() < 2)
    return first->emitOpError() << "expected another role to pass rings to";
  for (RoleOp role : kernel.getBody().getOps<RoleOp>())
    if (failed(TurnCheck(turns).verify(role)))
      return failure();
  return turns;
}
