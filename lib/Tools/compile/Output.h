//===- Output.h - What tilec writes after the phases ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outputs that are no IR of ours. They are made of a module that has been
// through all phases.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_OUTPUT_H
#define TESSERA_LIB_TOOLS_COMPILE_OUTPUT_H

#include "tessera/Target/Package/PackageBuilder.h"

namespace mlir {
class TimingScope;
} // namespace mlir

namespace tessera::tools {

struct Output {
  /// As in `--emit`.
  StringRef name;
  /// The name of a file that asks for it without `--emit`.
  StringRef suffix;
  StringRef summary;
  /// Whether making it runs ptxas, if there is to be machine code.
  bool runsPtxas;
  /// Makes it of lowered kernels. With `report`, ptxas runs, and says there
  /// what it knows of the kernels.
  FailureOr<std::string> (*make)(ModuleOp module, const PackageOptions &options,
                                 TimingScope &timing, ptx::PtxasReport *report);
};

ArrayRef<Output> getOutputs();

/// Null if there is no output of that name.
const Output *findOutput(StringRef name);

/// The output that a file of that name is for, or null.
const Output *findOutputOfFile(StringRef filename);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_OUTPUT_H
