//===- KernelCode.h - The code of each kernel by itself ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nearly all of the time of a compilation is LLVM's and ptxas's, and kernels,
// variants of one among them, have nothing to say to each other there. So each
// becomes a module, and these are compiled side by side, one ptxas for each.
// What is said of them comes in their order.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TARGET_PACKAGE_KERNELCODE_H
#define TESSERA_LIB_TARGET_PACKAGE_KERNELCODE_H

#include "tessera/Target/Package/PackageBuilder.h"

namespace tessera {

struct KernelCode {
  std::string ptx;
  /// Empty if the options want PTX alone.
  ptx::Cubin cubin;
};

/// The code of `kernels`, which readKernels has found in `module`,
/// by the program `ptxas`, which is not run if the options want PTX alone.
FailureOr<std::vector<KernelCode>>
compileKernels(ModuleOp module, ArrayRef<rt::KernelMetadata> kernels,
               StringRef ptxas, const PackageOptions &options,
               TimingScope &timing);

} // namespace tessera

#endif // TESSERA_LIB_TARGET_PACKAGE_KERNELCODE_H
