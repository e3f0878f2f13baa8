//===- FormatMain.h - The tile-format tool ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_FORMAT_FORMATMAIN_H
#define TESSERA_TOOLS_FORMAT_FORMATMAIN_H

namespace tessera::tools {

/// Runs `tile-format` on a command line. Returns the exit status: 0, 1 if a
/// file cannot be read or, with `--check`, would change, or 2 for a wrong
/// invocation.
int formatMain(int argc, char **argv);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_FORMAT_FORMATMAIN_H
