//===- Waits.h - Loops that wait for other programs -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WAITS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WAITS_H

#include "tessera/Interpreter/Semantics.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sim {

/// Checks whether `op` affects other agents by changes of global memory alone.
/// Barriers of a role, and tiles that its warps exchange, depend on the values
/// of these warps.
bool isQuiet(Operation *op);

/// Checks whether an iteration of a loop without a bound depends on memory and
/// carried values alone, as one that waits for a lock.
bool mayWait(scf::ForOp loop, const interp::LoopRange &range);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WAITS_H
