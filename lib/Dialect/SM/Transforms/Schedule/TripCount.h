//===- TripCount.h - Iterations that are run for sure -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Peeling an iteration asks whether there is one, and leaves loops that have
// one at most, or none.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_TRIPCOUNT_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_TRIPCOUNT_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tessera/Support/LLVM.h"

namespace tessera::sm {

/// Replaces `loop` by what `build` makes of it, which need only be right if the
/// loop runs at least once; otherwise the results are the initial values.
/// Returns the op that chooses, null if the loop is known to run.
scf::IfOp replaceIfRun(scf::ForOp loop,
                       function_ref<SmallVector<Value>(OpBuilder &)> build);

/// Replaces `loop` by its body, or by nothing, if it is known to run once at
/// most, or never. Ranges start at multiples of the step, and less than a step
/// may remain from there.
void simplifyShortLoop(scf::ForOp loop);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_TRIPCOUNT_H
