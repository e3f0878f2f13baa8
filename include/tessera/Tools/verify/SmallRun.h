//===- SmallRun.h - Traces of kernels on small arguments --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations and waits of a kernel's agents, without arguments from the
// user. The simulator runs the kernel on the arguments that `--verify-passes`
// generates.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_VERIFY_SMALLRUN_H
#define TESSERA_TOOLS_VERIFY_SMALLRUN_H

#include "tessera/Simulator/Trace.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace tessera::tools {

class SmallRuns {
public:
  /// `given` contains values of `--verify-arg`.
  SmallRuns(ArrayRef<std::string> given, uint64_t seed)
      : given(given), seed(seed) {}

  /// Generates the arguments of kernels that have none yet. Call it early,
  /// since the tile level knows which sizes are axes.
  void readSignatures(ModuleOp module);
  /// Simulates each kernel of the `sm` dialect, in the variant that a launch
  /// would choose.
  void simulate(ModuleOp module);

  /// Writes an array of objects, one for each kernel: "arguments" and either
  /// the events of the "trace" or the "problem".
  void write(llvm::json::OStream &json) const;

private:
  struct Run {
    std::vector<std::string> values;
    std::string variant, problem;
    std::optional<sim::Trace> trace;
  };

  ArrayRef<std::string> given;
  uint64_t seed;
  /// By the name in the source, in the order of the source.
  llvm::MapVector<std::string, Run, std::map<std::string, unsigned>> runs;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_VERIFY_SMALLRUN_H
