//===- PtxMain.h - The tile-ptx tool ----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tile-ptx`: converts a module of the `llvm` and `nvvm` dialects to LLVM IR,
// PTX or machine code. The tool tests the target, and assembles output of other
// tools by hand.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_PTX_PTXMAIN_H
#define TESSERA_TOOLS_PTX_PTXMAIN_H

namespace tessera::tools {

/// Runs `tile-ptx` on a command line. Returns the exit status: 0, 1 after
/// diagnostics, 2 for a wrong invocation.
int ptxMain(int argc, char **argv);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_PTX_PTXMAIN_H
