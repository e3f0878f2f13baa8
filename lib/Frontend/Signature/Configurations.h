//===- Configurations.h - Values that parameters may take -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_FRONTEND_SIGNATURE_CONFIGURATIONS_H
#define TESSERA_LIB_FRONTEND_SIGNATURE_CONFIGURATIONS_H

#include "KernelContext.h"

namespace tessera::frontend {

/// Returns the configurations of `kernel`; see `findConfigurations`. `module`
/// stays unchanged.
FailureOr<std::vector<Configuration>>
collectConfigurations(ModuleOp module, const FnTable &fns,
                      Diagnostics &diagnostics, const CompileOptions &options,
                      const KernelDecl &kernel);

} // namespace tessera::frontend

#endif // TESSERA_LIB_FRONTEND_SIGNATURE_CONFIGURATIONS_H
