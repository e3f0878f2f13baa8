//===- KernelInput.h - Kernels read from a file -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input of tilec and tile-run: a file of either kind (.tile source, or
// .mlir text of any phase) becomes a verified module that holds the chosen
// kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_KERNELINPUT_H
#define TESSERA_TOOLS_KERNELINPUT_H

#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Frontend/Frontend.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"

namespace tessera::tools {

/// Opens `filename` (`-` is standard input) as the main buffer of `sourceMgr`.
/// The error names the file and the reason.
llvm::Error openInput(StringRef filename, llvm::SourceMgr &sourceMgr);

/// Reads the kernels of the main buffer. It is .mlir text if the name of the
/// file ends in `.mlir`, and .tile source otherwise. With `options.kernel`, the
/// other kernels are omitted. Returns null after a diagnostic.
OwningOpRef<ModuleOp> readKernels(llvm::SourceMgr &sourceMgr,
                                  MLIRContext *context,
                                  const frontend::CompileOptions &options);

/// Parses the values of `--kernel` and of repeated `-D NAME=VALUE`. Fails on a
/// define without a name or a value.
llvm::Expected<frontend::CompileOptions>
parseCompileOptions(StringRef kernel, ArrayRef<std::string> defines);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_KERNELINPUT_H
