//===- CompilePackage.h - From kernels to a package -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_PIPELINES_COMPILEPACKAGE_H
#define TESSERA_PIPELINES_COMPILEPACKAGE_H

#include "tessera/Pipelines/Phases.h"
#include "tessera/Target/Package/PackageBuilder.h"

namespace tessera {

/// Chooses how many registers above those that are certain to be free the loops
/// of each kernel may take, by what the ptxas of `package` makes of them
/// (RegisterTrial.cpp). `module` is about to enter the phase `schedule`. Good
/// code is kept in `package`.
void chooseRegisterLeeways(ModuleOp module, const PhaseOptions &options,
                           PackageOptions &package);

/// Compiles the kernels of `module`, which may be at any phase, and which is
/// used up, for the target of `options`. Failures are diagnostics. The context
/// knows the dialects of `ptx::registerEmissionDialects`.
FailureOr<rt::KernelPackage> compilePackage(ModuleOp module,
                                            const PackageOptions &options,
                                            PhaseOptions phaseOptions = {});

} // namespace tessera

#endif // TESSERA_PIPELINES_COMPILEPACKAGE_H
