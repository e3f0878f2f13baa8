//===- Check.cpp - Diagnostics without an output ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front end reads the whole file. Then each kernel whose compile-time
// parameters have values completes all phases for itself, so that an error of
// one kernel hides none of another one. The front end reports those errors of
// other kernels that no value avoids.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/InitAll.h"
#include "tessera/Pipelines/Phases.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"
#include "tessera/Tools/RepeatedDiagnostics.h"

#include "mlir/IR/MLIRContext.h"

using namespace tessera;
using namespace tessera::tools;

/// Runs all phases on a copy of `module` that has one kernel.
static LogicalResult checkKernel(ModuleOp module, StringRef name,
                                 const TilecOptions &options,
                                 const Goal &goal) {
  OwningOpRef<ModuleOp> one = module.clone();
  for (auto kernel : llvm::make_early_inc_range(one->getOps<tile::KernelOp>()))
    if (kernel.getSymName() != name)
      kernel.erase();
  return runPhases(*one, getPhases().back(),
                   options.getPhaseOptions(goal.target), PhaseHooks());
}

static LogicalResult checkFile(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                               const TilecOptions &options,
                               frontend::CompileOptions compileOptions,
                               const Goal &goal) {
  // An error of a fn, and one that no value avoids, is found several times.
  RepeatedDiagnostics once(&context, RepeatedDiagnostics::Kinds::All);
  compileOptions.skipIncomplete = true;
  // A file of fns for other files is fine, unless a kernel is asked for.
  compileOptions.needsKernel = !compileOptions.kernel.empty();
  OwningOpRef<ModuleOp> module =
      frontend::compileTile(sourceMgr, &context, compileOptions);
  LogicalResult result = success(module.get() != nullptr);
  // The errors of one kernel are asked for, or those of all.
  if (compileOptions.kernel.empty() &&
      failed(frontend::describeKernels(sourceMgr, &context,
                                       compileOptions.needsKernel)))
    result = failure();
  if (!module)
    return failure();
  for (auto kernel : module->getOps<tile::KernelOp>())
    if (failed(checkKernel(*module, kernel.getSymName(), options, goal)))
      result = failure();
  return result;
}

int tools::checkFiles(const TilecOptions &options,
                      const frontend::CompileOptions &compileOptions,
                      const Goal &goal) {
  SmallVector<StringRef> files = {options.input};
  llvm::append_range(files, options.others);
  int status = 0;
  for (StringRef file : files) {
    if (file.ends_with(".mlir"))
      return reportUsageError("tilec", "--check is for .tile files, not '" +
                                           file.str() + "'");
    llvm::SourceMgr sourceMgr;
    if (llvm::Error error = openInput(file, sourceMgr))
      return reportUsageError("tilec", llvm::toString(std::move(error)));
    DialectRegistry registry;
    registerAllDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.printOpOnDiagnostic(false);
    SourceMgrDiagnosticHandler handler(sourceMgr, &context);
    if (failed(checkFile(sourceMgr, context, options, compileOptions, goal)))
      status = 1;
  }
  return status;
}
