//===- Dependencies.h - The files that an output depends on -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the rule of a makefile, which build tools read.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_DEPENDENCIES_H
#define TESSERA_LIB_TOOLS_COMPILE_DEPENDENCIES_H

#include "tessera/Support/LLVM.h"

#include "llvm/Support/Error.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tessera::tools {

/// Writes the rule `output: files` with the files that were read.
llvm::Error writeDependencies(StringRef path, StringRef output,
                              const llvm::SourceMgr &sourceMgr);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_DEPENDENCIES_H
