//===- Compilation.h - From an input to an output ---------------*- C++ -*-===//
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
#include "llvm/ADT/StringMap.h"

namespace tessera::tools {

/// The requested outputs.
struct Goal {
  const Phase *last;
  /// Null for the IR after `last`.
  const Output *output = nullptr;
  /// Null for the target that the input names, or the default one.
  const GpuTarget *target = nullptr;
  /// All options except the target.
  PackageOptions package;
  /// Whether to write the signatures of the kernels, for callers, instead of
  /// any output.
  bool signatures = false;
  /// Whether to write the configurations for --shape instead of any output.
  bool configuration = false;
  /// Whether only the page of --html is written.
  bool isForPage = false;
  /// Whether only the prediction of --explain is written.
  bool isForExplanation = false;
  /// The sizes of --explain.
  llvm::StringMap<int64_t> sizes;
};
/// Returns an error if a number of the options is out of range.
llvm::Error checkNumbers(const TilecOptions &options);

/// Compiles the input to the requested outputs.
LogicalResult compile(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                      const TilecOptions &options,
                      const frontend::CompileOptions &compileOptions,
                      const Goal &goal);

/// Compiles to a package for several shapes. Returns the exit status.
int compileShapes(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                  TilecOptions &options,
                  frontend::CompileOptions &compileOptions, const Goal &goal);

/// Compiles with the values that --tuned chooses, which are added to the
/// options. Returns the exit status.
int compileTuned(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                 TilecOptions &options,
                 frontend::CompileOptions &compileOptions, const Goal &goal);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_COMPILATION_H
