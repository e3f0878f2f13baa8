//===- FencePlacement.h - Where barriers and fences stand -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over the ops that one agent executes, in the order of execution, with
// the accesses that are not yet ordered. If an op may not follow one of them, a
// barrier is placed before the op, and a fence before the barrier. Both count
// from there on for all later ops. So each is placed as late as possible.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_FENCEPLACEMENT_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_FENCEPLACEMENT_H

#include "AccessState.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {

class FencePlacement {
public:
  explicit FencePlacement(const SharedAccesses &accesses)
      : accesses(accesses) {}

  /// Walks over what one agent executes.
  LogicalResult placeIn(Block &body);
  /// Makes ops of what was found.
  void materialize(KernelOp kernel, int64_t &numBarriers, int64_t &numFences);

private:
  void runBlock(Block &block, AccessState &state);
  void runOp(Operation &op, AccessState &state);
  void runLoop(Operation *loop, AccessState &state);
  void runIterations(Operation *loop, AccessState &state);
  void runIf(scf::IfOp branch, AccessState &state);
  void orderFetches(scf::IfOp branch, AccessState &state);
  void takeTurn(PingPongWaitOp take, AccessState &state);

  /// Returns the ordering that `op` itself needs in the given state.
  Need getNeed(Operation *op, const AccessState &state);
  void require(Operation *op, Need need, AccessState &state);
  static void apply(Operation *op, Need need, AccessState &state);
  bool fenceLastBarrier(Operation *op, AccessState &state);
  void verifyTurn(Operation *op);
  void report(Operation *op, Twine message, Operation *other, StringRef note);

  static constexpr unsigned kMaxRounds = 8;

  const SharedAccesses &accesses;
  llvm::DenseMap<Operation *, Need> placed;
  llvm::DenseSet<Operation *> knownLoops;
  /// While a loop is only asked what it needs: that.
  Need *asked = nullptr;
  PingPongWaitOp turn;
  bool hasFailed = false;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_FENCEPLACEMENT_H
