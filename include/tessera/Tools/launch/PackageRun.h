//===- PackageRun.h - Running a kernel of a package -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of `tile-run` and `tile-launch` for a package: arguments, one
// launch, results.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_PACKAGERUN_H
#define TESSERA_TOOLS_LAUNCH_PACKAGERUN_H

#include "tessera/Runtime/KernelPackage.h"
#include "tessera/Tools/launch/LaunchDevice.h"
#include "tessera/Tools/launch/RunOptions.h"

namespace tessera::tools {

/// Runs a kernel of `package` for the tool `tool`. Repeats the run as long as
/// `device` requests it and the results are right, and reports the last run.
/// Returns the exit status: 0; 1 after an error of the kernel or a mismatch; 2
/// for a wrong invocation; 3 if the device cannot run the kernel.
int runPackage(llvm::StringRef tool, const rt::KernelPackage &package,
               const ArgumentOptions &arguments, const ResultOptions &results,
               LaunchDevice &device);

/// Runs it on a GPU.
int runPackage(llvm::StringRef tool, const rt::KernelPackage &package,
               const ArgumentOptions &arguments, const ResultOptions &results);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_PACKAGERUN_H
