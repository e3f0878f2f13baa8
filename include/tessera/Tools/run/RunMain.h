//===- RunMain.h - The tile-run driver --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile-run runs one kernel of a file on arrays and compares the results.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_RUN_RUNMAIN_H
#define TESSERA_TOOLS_RUN_RUNMAIN_H

namespace tessera::tools {

/// Runs `tile-run` on a command line. Returns the exit status: 0; 1 after
/// diagnostics, a defect of the kernel or a mismatch; 2 for a wrong invocation.
int runMain(int argc, char **argv);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_RUN_RUNMAIN_H
