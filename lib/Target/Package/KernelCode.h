//===- KernelCode.h - The code of each kernel -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nearly all of the compile time is that of LLVM and ptxas, where kernels, and
// variants of one kernel, are independent. Each kernel becomes a module, and
// the modules are compiled in parallel, with one ptxas for each. Messages come
// in the order of the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TARGET_PACKAGE_KERNELCODE_H
#define TESSERA_LIB_TARGET_PACKAGE_KERNELCODE_H

#include "tessera/Target/Package/PackageBuilder.h"

namespace tessera {

struct KernelCode {
  std::string ptx;
  /// Empty if the options request PTX alone.
  ptx::Cubin cubin;
};

/// Compiles `kernels`, which readKernels found in `module`, by the program
/// `ptxas`. The program does not run if the options request PTX alone.
FailureOr<std::vector<KernelCode>>
compileKernels(ModuleOp module, ArrayRef<rt::KernelMetadata> kernels,
               StringRef ptxas, const PackageOptions &options,
               TimingScope &timing);

} // namespace tessera

#endif // TESSERA_LIB_TARGET_PACKAGE_KERNELCODE_H
