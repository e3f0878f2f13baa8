//===- tile-lsp-server.cpp - Language server for Tessera --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/InitAll.h"
#include "tessera/Tools/lsp/LspMain.h"

#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tessera::registerAllDialects(registry);
  tessera::registerLoweredDialects(registry);
  return tessera::tools::lspMain(argc, argv, registry);
}
