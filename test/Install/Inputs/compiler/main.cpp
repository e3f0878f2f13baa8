//===- main.cpp - A compiler made of the installed libraries --------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// package-compiler SOURCE.tile: the kernels of the package that it would be.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Frontend/Frontend.h"
#include "tessera/InitAll.h"
#include "tessera/Pipelines/CompilePackage.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"

int main(int, char **argv) {
  auto file = llvm::MemoryBuffer::getFile(argv[1]);
  if (!file) {
    llvm::errs() << "cannot read " << argv[1] << "\n";
    return 1;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());

  mlir::DialectRegistry registry;
  tessera::registerAllDialects(registry);
  tessera::ptx::registerEmissionDialects(registry);
  mlir::MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, &context);
  auto module = tessera::frontend::compileTile(sources, &context, {});
  if (!module)
    return 1;
  tessera::PackageOptions options;
  options.ptxOnly = true;
  auto package = tessera::compilePackage(*module, options);
  if (failed(package))
    return 1;
  for (const auto &kernel : package->kernels)
    llvm::outs() << kernel.name << "\n";
  return 0;
}
