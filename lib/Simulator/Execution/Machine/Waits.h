//===- Waits.h - Loops that wait for other programs -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WAITS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WAITS_H

#include "tessera/Support/LLVM.h"

namespace tessera::sim {

/// Checks whether `op` affects other agents by changes of global memory alone.
/// Barriers of a role, and tiles that its warps exchange, depend on the values
/// of these warps.
bool isQuiet(Operation *op);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WAITS_H
