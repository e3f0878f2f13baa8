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

  /// What the file chooses for the shape and what `options` say of the kernel;
  /// a warning says why it is nothing. `signatures` are those of the input, as
  /// describeKernels writes them.
  llvm::Expected<TunedChoice>
  choose(StringRef signatures, const frontend::CompileOptions &options) const;

  /// What is wrong with the options, without the input.
  llvm::Error check(StringRef input) const;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_TUNINGOPTIONS_H
