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

/// Chooses for the loops of each kernel the order of products: the one that is
/// predicted to be the fastest, or that of the rules. For an order that the
/// source gives, chooses the registers that it may take above those that are
/// certain to be free. The code of the ptxas of `package` decides
/// (RegisterTrial.cpp). `module` must be before the phase `schedule`. Good code
/// is kept in `package`.
void chooseSchedules(ModuleOp module, const PhaseOptions &options,
                     PackageOptions &package);

/// Compiles the kernels of `module`, which may be at any phase, for the target
/// of `options`. The module is consumed. Failures are diagnostics. The context
/// must contain the dialects of `ptx::registerEmissionDialects`.
FailureOr<rt::KernelPackage> compilePackage(ModuleOp module,
                                            const PackageOptions &options,
                                            PhaseOptions phaseOptions = {});

} // namespace tessera

#endif // TESSERA_PIPELINES_COMPILEPACKAGE_H
