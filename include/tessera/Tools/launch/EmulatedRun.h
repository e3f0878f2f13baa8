//===- EmulatedRun.h - Running the PTX of a package on a CPU ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_EMULATEDRUN_H
#define TESSERA_TOOLS_LAUNCH_EMULATEDRUN_H

#include "tessera/Runtime/KernelPackage.h"
#include "tessera/Tools/launch/OrderOptions.h"
#include "tessera/Tools/launch/RunOptions.h"

#include <optional>

namespace tessera::tools {

/// Runs a kernel of `package` in the emulator of PTX, in the interleavings of
/// `orders`, as runPackage does on a GPU. Reports defects of the kernel at
/// their lines. Does not use the machine code of the package.
int runPackageEmulated(llvm::StringRef tool, rt::KernelPackage package,
                       const ArgumentOptions &arguments,
                       const ResultOptions &results, const OrderOptions &orders,
                       std::optional<uint64_t> stepLimit);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_EMULATEDRUN_H
