//===- CompileMain.h - The tilec driver -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_COMPILE_COMPILEMAIN_H
#define TESSERA_TOOLS_COMPILE_COMPILEMAIN_H

namespace tessera::tools {

/// Runs `tilec` on a command line. Returns the exit status: 0, 1 after
/// diagnostics, 2 for a wrong invocation.
int compileMain(int argc, char **argv);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_COMPILE_COMPILEMAIN_H
