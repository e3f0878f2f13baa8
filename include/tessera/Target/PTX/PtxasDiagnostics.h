//===- PtxasDiagnostics.h - ptxas messages as diagnostics -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports the messages of ptxas about a module at the kernels of that module.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_PTXASDIAGNOSTICS_H
#define TESSERA_TARGET_PTX_PTXASDIAGNOSTICS_H

#include "tessera/Support/LLVM.h"
#include "tessera/Target/PTX/FindPtxas.h"
#include "llvm/Support/Error.h"

namespace tessera::ptx {

struct KernelResources;
struct PtxasReport;

/// Checks whether spills in loops are frequent enough to cost time.
bool spillsInLoop(const KernelResources &kernel);

/// Warns, before ptxas starts, of a kernel with so many operations that ptxas
/// will take long. Returns whether it warned.
bool warnOfLongCode(ModuleOp module, StringRef kernel);

/// Finds ptxas, and warns at `module` if it has known defects. On failure,
/// emits an error at `module`, which ends with `wayOut` if that is not empty.
FailureOr<PtxasProgram> findPtxas(ModuleOp module, StringRef given,
                                  StringRef wayOut = "");

/// Reports an error of `assemble`: each message at its kernel, with the line of
/// PTX and the remedy of a hazard as notes. All other messages are reported at
/// the module.
void reportPtxasError(ModuleOp module, llvm::Error error);

/// Warns of the costs of code that was generated despite hazards: allowed
/// hazards, other warnings of ptxas, and registers that each thread keeps in
/// memory.
void warnOfPtxas(ModuleOp module, const PtxasReport &report);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_PTXASDIAGNOSTICS_H
