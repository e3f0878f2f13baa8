//===- TripCount.h - Bounds of trip counts ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Peeling an iteration requires that the loop runs, and leaves loops that run
// once at most. Ranges start from multiples of the step, so the trip count may
// have a bound although the bounds of the loop are unknown.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_ANALYSIS_TRIPCOUNT_H
#define TESSERA_DIALECT_SM_ANALYSIS_TRIPCOUNT_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tessera/Support/LLVM.h"

namespace tessera::sm {

/// Returns the largest number of iterations of `loop`, if there is a bound.
std::optional<int64_t> getMostIterations(scf::ForOp loop);

/// Replaces `loop` by the results of `build`, which need only be right if the
/// loop runs at least once. If the loop does not run, the results are the
/// initial values. Returns the branch; null if constants say that the loop
/// runs.
scf::IfOp replaceIfRun(scf::ForOp loop,
                       function_ref<SmallVector<Value>(OpBuilder &)> build);

/// Replaces `loop` by its body if it runs once at most, or by its initial
/// values if it never runs.
void simplifyShortLoop(scf::ForOp loop);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_ANALYSIS_TRIPCOUNT_H
