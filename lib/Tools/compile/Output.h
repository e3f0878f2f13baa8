//===- Output.h - Outputs of tilec after phases -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outputs that are not IR of Tessera's dialects. They are generated from a
// module that has completed all phases.
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
  /// The name in `--emit`.
  StringRef name;
  /// The suffix of a file that requests the output without `--emit`.
  StringRef suffix;
  StringRef summary;
  /// Whether the output needs ptxas, unless machine code is omitted.
  bool runsPtxas;
  /// Generates the output from lowered kernels. With `report`, ptxas runs, and
  /// its report is stored there.
  FailureOr<std::string> (*make)(ModuleOp module, const PackageOptions &options,
                                 TimingScope &timing, ptx::PtxasReport *report);
};

ArrayRef<Output> getOutputs();

/// Returns the output of that name, or null.
const Output *findOutput(StringRef name);

/// Returns the output for a file of that name, or null.
const Output *findOutputOfFile(StringRef filename);

/// Checks that the name of a file selects an output or IR. A name without a
/// suffix selects IR.
llvm::Error checkSuffix(StringRef filename);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_OUTPUT_H
