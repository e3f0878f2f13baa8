//===- TuningOptions.h - --tuned and --shape --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_TUNINGOPTIONS_H
#define TESSERA_LIB_TOOLS_COMPILE_TUNINGOPTIONS_H

#include "tessera/Frontend/Frontend.h"
#include "tuning/TunedChoices.h"

#include "llvm/Support/CommandLine.h"

namespace tessera::tools {

struct TuningOptions {
  explicit TuningOptions(llvm::cl::OptionCategory &category);

  llvm::cl::opt<std::string> file;
  llvm::cl::list<std::string> shape;

  /// Returns the rows of the file for the kernel and the values of `options`.
  /// Without `allShapes`, this is one row without conditions; with it, all rows
  /// that calls of some shape use. If only the defaults remain, a warning gives
  /// the reason. `signatures` are those of the input, in the form of
  /// describeKernels.
  llvm::Expected<std::vector<TunedRow>>
  choose(StringRef signatures, const frontend::CompileOptions &options,
         bool allShapes) const;

  /// Checks whether --shape repeats the name of a size.
  bool hasSeveralShapes() const;

  /// Returns an error if the options are wrong regardless of the input.
  llvm::Error check(StringRef input) const;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TUNINGOPTIONS_H
