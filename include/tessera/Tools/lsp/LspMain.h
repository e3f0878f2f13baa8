//===- LspMain.h - The tile-lsp-server tool ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LSP_LSPMAIN_H
#define TESSERA_TOOLS_LSP_LSPMAIN_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tessera::tools {

/// Runs `tile-lsp-server` on a command line. .mlir files may contain the
/// dialects of `registry`. Returns the exit status: 0, 1 if the client ended
/// without a shutdown request, or 2 for a wrong invocation.
int lspMain(int argc, char **argv, mlir::DialectRegistry &registry);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LSP_LSPMAIN_H
