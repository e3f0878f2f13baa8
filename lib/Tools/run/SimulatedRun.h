//===- SimulatedRun.h - A run in the simulator ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_RUN_SIMULATEDRUN_H
#define TESSERA_LIB_TOOLS_RUN_SIMULATEDRUN_H

#include "tessera/Simulator/Simulator.h"
#include "tessera/Tools/launch/OrderOptions.h"
#include "tessera/Tools/launch/RunOptions.h"

namespace tessera::tools {

struct SimulatorOptions {
  explicit SimulatorOptions(llvm::cl::OptionCategory &category)
      : category(category) {}

  /// Returns the options that have no meaning on other devices.
  OptionList getOwnOptions() const { return {phase, trace}; }

  llvm::cl::OptionCategory &category;
  OrderOptions orders{category};
  llvm::cl::opt<std::string> phase{
      "phase",
      llvm::cl::desc("With --device sim, compile up to this phase before the "
                     "simulation (default: the last one of the sm level)"),
      llvm::cl::value_desc("NAME"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> trace{
      "trace",
      llvm::cl::desc(
          "With --device sim, write a trace of the agents of the last "
          "run, for Perfetto (https://ui.perfetto.dev)"),
      llvm::cl::value_desc("FILE.json"), llvm::cl::cat(category)};
};

/// Compiles the kernels of `module`, chooses the variant that a launch would
/// choose, and simulates it. Returns the exit status.
int simulateOnHost(ModuleOp module, StringRef file,
                   const ArgumentOptions &arguments,
                   const ResultOptions &results,
                   const SimulatorOptions &options, uint64_t stepLimit);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_RUN_SIMULATEDRUN_H
