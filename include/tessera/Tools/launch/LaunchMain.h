//===- LaunchMain.h - The drivers of the package tools ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile-launch runs, lists or describes the kernels of a package. tile-bench
// measures one kernel. Neither links the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_LAUNCHMAIN_H
#define TESSERA_TOOLS_LAUNCH_LAUNCHMAIN_H

namespace tessera::tools {

/// Runs `tile-launch` on a command line. Returns the exit status: 0; 1 after an
/// error of the kernel or a mismatch; 2 for a wrong invocation; 3 if no device
/// can run the kernel.
int launchMain(int argc, char **argv);

/// Runs `tile-bench` on a command line. Returns the same exit status.
int benchMain(int argc, char **argv);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_LAUNCHMAIN_H
