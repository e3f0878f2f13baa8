//===- Explanation.h - The predicted time of kernels ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The output of `tilec --explain`: the time that the clock of the machine
// (docs/design/clock.md) predicts for a launch with given sizes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_EXPLANATION_H
#define TESSERA_LIB_TOOLS_COMPILE_EXPLANATION_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Pipelines/Phases.h"
#include "tessera/Simulator/Trace.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace tessera::tools {

/// Predicts and prints the time of each kernel of `module`, which has completed
/// the phase of the clock. Of several variants, the one that a launch runs.
/// Emits an error if the sizes do not determine it. Calls `show`, unless it is
/// null, with the timeline of the longest program of each kernel.
LogicalResult
explain(ModuleOp module, const llvm::StringMap<int64_t> &sizes, raw_ostream &os,
        llvm::function_ref<LogicalResult(sm::KernelOp, sim::Trace)> show);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_EXPLANATION_H
