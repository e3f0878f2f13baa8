//===- lib/Tools/run/SimulatedRun.h - A run on a simulated multiprocessor *- C++
//-*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_RUN_SIMULATEDRUN_H
#define TESSERA_LIB_TOOLS_RUN_SIMULATEDRUN_H

#include "tessera/Simulator/Simulator.h"
#include "tessera/Tools/launch/RunOptions.h"

namespace tessera::tools {

struct SimulatorOptions {
  explicit SimulatorOptions(llvm::cl::OptionCategory &category)
      : category(category) {}

  /// All of them, which mean nothing on other devices.
  SmallVector<const llvm::cl::Option *> getOptions() const {
    return {std::addressof(phase),          std::addressof(order),
            std::addressof(seeds),          std::addressof(seed),
            std::addressof(maxDeviations),  std::addressof(maxRuns),
            std::addressof(replay),         std::addressof(trace),
            std::addressof(multiprocessors)};
  }

  llvm::cl::OptionCategory &category;
  llvm::cl::opt<std::string> phase{
      "phase",
      llvm::cl::desc("Compile up to this phase before the simulation "
                     "(default: the last one of the sm level)"),
      llvm::cl::value_desc("NAME"), llvm::cl::cat(category)};
  llvm::cl::opt<sim::Order> order{
      "order", llvm::cl::desc("Which simulated agent is next:"),
      llvm::cl::values(
          clEnumValN(sim::Order::Program, "program",
                     "the first that can; what is in flight arrives at once"),
          clEnumValN(sim::Order::Late, "late",
                     "the first that can; what is in flight arrives last"),
          clEnumValN(sim::Order::Early, "early",
                     "the last that can; what is in flight arrives at once"),
          clEnumValN(sim::Order::Random, "random", "drawn from --sim-seed"),
          clEnumValN(sim::Order::Chosen, "exhaustive",
                     "all orders that deviate from 'program' at few choices")),
      llvm::cl::init(sim::Order::Program), llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> seeds{
      "seeds", llvm::cl::desc("Simulate in so many random orders"),
      llvm::cl::value_desc("N"), llvm::cl::init(1), llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> seed{
      "sim-seed", llvm::cl::desc("The (first) seed of random orders"),
      llvm::cl::init(0), llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> maxDeviations{
      "max-deviations",
      llvm::cl::desc("With --order exhaustive, at how many choices a run "
                     "deviates, at most"),
      llvm::cl::value_desc("N"), llvm::cl::init(2), llvm::cl::cat(category)};
  llvm::cl::opt<uint64_t> maxRuns{
      "max-runs",
      llvm::cl::desc(
          "With --order exhaustive, how many runs are made, at most"),
      llvm::cl::value_desc("N"), llvm::cl::init(10000),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> replay{
      "replay",
      llvm::cl::desc("Repeat one run of --order exhaustive, by its deviations"),
      llvm::cl::value_desc("CHOICE:COUNT,..."), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> multiprocessors{
      "multiprocessors",
      llvm::cl::desc("How many blocks of a persistent kernel are simulated, "
                     "at most"),
      llvm::cl::init(sim::Options().multiprocessors), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> trace{
      "trace",
      llvm::cl::desc("Write what the agents of the last run did, for Perfetto "
                     "(https://ui.perfetto.dev)"),
      llvm::cl::value_desc("FILE.json"), llvm::cl::cat(category)};
};

/// Compiles the kernels of `module`, chooses the variant that a launch would
/// take, and simulates it. Returns the exit status.
int simulateOnHost(ModuleOp module, StringRef file,
                   const ArgumentOptions &arguments,
                   const ResultOptions &results,
                   const SimulatorOptions &options, uint64_t stepLimit);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_RUN_SIMULATEDRUN_H
