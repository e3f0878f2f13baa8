//===- TuningOptions.h - --tuned and --shape --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_TUNINGOPTIONS_H
#define TESSERA_LIB_TOOLS_COMPILE_TUNINGOPTIONS_H

#include "TunedChoices.h"
#include "tessera/Frontend/Frontend.h"

#include "llvm/Support/CommandLine.h"

namespace tessera::tools {

struct TuningOptions {
  explicit TuningOptions(llvm::cl::OptionCategory &category);

  llvm::cl::opt<std::string> file;
  llvm::cl::list<std::string> shape;

  /// The rows of the file for the kernel and the values that `options` names:
  /// one without conditions, or with `allShapes` those that calls of some shape
  /// take. A warning says why it is the defaults alone. `signatures` are those
  /// of the input, as describeKernels writes them.
  llvm::Expected<std::vector<TunedRow>>
  choose(StringRef signatures, const frontend::CompileOptions &options,
         bool allShapes) const;

  /// What is wrong with the options, without the input.
  llvm::Error check(StringRef input) const;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TUNINGOPTIONS_H
