//===- CompilePackage.h - From a kernel to its machine code -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_RUN_COMPILEPACKAGE_H
#define TESSERA_LIB_TOOLS_RUN_COMPILEPACKAGE_H

#include "tessera/Runtime/KernelPackage.h"
#include "tessera/Support/LLVM.h"

namespace tessera::tools {

/// Compiles the kernels of `module` for a GPU. Fails after a diagnostic.
FailureOr<rt::KernelPackage> compilePackage(ModuleOp module);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_RUN_COMPILEPACKAGE_H
