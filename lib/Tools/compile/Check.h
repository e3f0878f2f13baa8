//===- Check.h - Diagnostics without an output ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tilec --check FILE...`: all diagnostics of all kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_CHECK_H
#define TESSERA_LIB_TOOLS_COMPILE_CHECK_H

#include "Compilation.h"

namespace tessera::tools {

/// Checks the files of the options, and writes nothing but diagnostics. Returns
/// the exit status: 1 if a file has an error.
int checkFiles(const TilecOptions &options,
               const frontend::CompileOptions &compileOptions,
               const Goal &goal);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_CHECK_H
