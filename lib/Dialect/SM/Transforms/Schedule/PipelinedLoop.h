//===- PipelinedLoop.h - A loop with fetches in flight ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before:                          After, with S slots:
//
//   for k iter_args(acc)             start k = 0 ... S-2, those that there are
//     t = fetch k                    for k iter_args(acc, s = 0)
//     acc' = mma t, acc                await: slot s is there
//     work                             p = issue slots[s], acc
//     yield acc'                       start k + S-1 into slots[s-1], if it is
//                                      acc' = await p
//                                      work
//                                      yield acc', s+1 modulo S
//                                    await
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PIPELINEDLOOP_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PIPELINEDLOOP_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/Reason.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::sm {

class PipelinedLoop {
public:
  explicit PipelinedLoop(scf::ForOp loop) : loop(loop) {}

  /// Finds the fetches that can be in flight; calls `refuse` for the others.
  /// Fails if there are none.
  LogicalResult match(function_ref<void(FetchOp, StringRef)> refuse);
  void rewrite(int64_t slots);

private:
  Reason matchFetch(FetchOp fetch);
  Reason addPosition(Value value, llvm::SetVector<Operation *> &found);

  /// Whether the iteration `steps` after the one at `position` is one: an i1.
  Value isIteration(OpBuilder &builder, Value position, int64_t steps,
                    Value &later);
  /// Starts the fetches of the iteration at `position` if it is one.
  void start(OpBuilder &builder, Value position, Value slot);
  void startFirst(OpBuilder &builder);
  void startIf(OpBuilder &builder, Value condition, Value position, Value slot);
  void awaitSlot(OpBuilder &builder, Value position);
  void cloneBody(OpBuilder &builder, IRMapping &mapping,
                 function_ref<void(OpBuilder &)> fill);

  scf::ForOp loop;
  SmallVector<FetchOp> fetches;
  /// The ops that compute their positions, in order.
  llvm::SetVector<Operation *> positions;
  int64_t slots = 0;
  SmallVector<Value> rings; // of slots, by fetch
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_PIPELINEDLOOP_H
