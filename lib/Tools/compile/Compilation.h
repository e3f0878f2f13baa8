//===- Compilation.h - From an input to what is wanted ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_COMPILATION_H
#define TESSERA_LIB_TOOLS_COMPILE_COMPILATION_H

#include "Output.h"
#include "TilecOptions.h"

#include "tessera/Frontend/Frontend.h"
#include "tessera/Pipelines/Phases.h"

namespace tessera::tools {

/// What is to be made of the input.
struct Goal {
  const Phase *last;
  /// Null for the IR after `last`.
  const Output *output = nullptr;
  /// Null for the one that the input names, or the default one.
  const GpuTarget *target = nullptr;
  /// All but the target.
  PackageOptions package;
  /// What callers must know of the kernels, in place of anything made of them.
  bool signatures = false;
  /// Nothing is written but the page of --html.
  bool isForPage = false;
};
/// What is wrong with the numbers of the options.
llvm::Error checkNumbers(const TilecOptions &options);

/// Makes what is wanted of the input.
LogicalResult compile(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                      const TilecOptions &options,
                      const frontend::CompileOptions &compileOptions,
                      const Goal &goal);

/// The same with what --tuned chooses, which is put into the options; returns
/// the exit status.
int compileTuned(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                 TilecOptions &options,
                 frontend::CompileOptions &compileOptions, const Goal &goal);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_COMPILATION_H
