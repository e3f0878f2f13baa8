//===- PtxasDiagnostics.h - ptxas, as diagnostics ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports what ptxas says about a module at the kernels of that module.
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

/// Finds ptxas, and warns at `module` if it has known defects. Fails with an
/// error there, which ends with `wayOut` if that is not empty.
FailureOr<PtxasProgram> findPtxas(ModuleOp module, StringRef given,
                                  StringRef wayOut = "");

/// Reports an error of `assemble`: each message at the kernel that it is about,
/// with the line of PTX and the way out of a hazard as notes; anything else at
/// the module.
void reportPtxasError(ModuleOp module, llvm::Error error);

/// Warns of what the code of `module` that was made nevertheless costs: hazards
/// that were allowed, other warnings of ptxas, and registers that each thread
/// keeps in memory.
void warnOfPtxas(ModuleOp module, const PtxasReport &report);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_PTXASDIAGNOSTICS_H
