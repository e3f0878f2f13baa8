//===- Program.cpp - A decoded kernel and its launches ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads a kernel (inlines calls, decodes instructions) and runs launches. A
// launch checks its configuration, allocates and initialises the variables of
// the module in global memory, and runs the clusters one after the other. The
// first cluster with a finding ends the launch.
//
//===----------------------------------------------------------------------===//

#include "CallInlining.h"
#include "Machine/Cluster.h"

using namespace tessera::emu;
namespace sim = tessera::sim;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

namespace {
class LoadedProgram : public Program {
public:
  LoadedProgram(std::unique_ptr<Kernel> inlined, DecodedKernel kernel)
      : inlined(std::move(inlined)), kernel(std::move(kernel)) {}

  const Kernel &getKernel() const override { return *kernel.kernel; }
  uint64_t getStaticSharedBytes() const override { return kernel.staticShared; }
  Error launch(const LaunchConfig &config,
               ArrayRef<SmallVector<uint8_t, 8>> parameters,
               GlobalMemory &memory, const Options &options,
               std::vector<Finding> &findings,
               Statistics *statistics) const override;

private:
  Error verify(const LaunchConfig &config,
               ArrayRef<SmallVector<uint8_t, 8>> parameters) const;
  Error placeGlobals(Run &run) const;

  /// The kernel with inlined calls, if it has calls.
  std::unique_ptr<Kernel> inlined;
  DecodedKernel kernel;
};
} // namespace

/// Maximum shared memory of a block on sm_90.
static constexpr uint64_t kMaxSharedBytes = 232448;

Error LoadedProgram::verify(
    const LaunchConfig &config,
    ArrayRef<SmallVector<uint8_t, 8>> parameters) const {
  const Kernel &source = *kernel.kernel;
  if (parameters.size() != source.parameters.size())
    return createStringError("kernel '" + source.name + "' has " +
                             Twine(source.parameters.size()) +
                             " parameters, got " + Twine(parameters.size()));
  for (auto [i, bytes] : llvm::enumerate(parameters))
    if (bytes.size() != source.parameters[i].bytes)
      return createStringError("parameter " + Twine(i) + " has " +
                               Twine(source.parameters[i].bytes) +
                               " bytes, got " + Twine(bytes.size()));
  uint64_t threads = 1, ctas = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (!config.grid[i] || !config.block[i] || !config.cluster[i])
      return createStringError("the grid, a block or a cluster is empty");
    if (config.grid[i] % config.cluster[i])
      return createStringError("the grid is no multiple of the cluster");
    // A product of three such numbers does not overflow.
    threads *= std::min(config.block[i], 1u << 20);
    ctas *= std::min(config.cluster[i], 1u << 20);
  }
  if (threads > 1024 || ctas > 16)
    return createStringError("a block has " + Twine(threads) +
                             " threads and a cluster " + Twine(ctas) +
                             " blocks; at most 1024 and 16 are possible");
  uint64_t shared = kernel.staticShared + config.dynamicSharedBytes;
  if (shared > kMaxSharedBytes)
    return createStringError("the kernel takes " + Twine(shared) +
                             " bytes of shared memory; a block has " +
                             Twine(kMaxSharedBytes));
  return Error::success();
}

Error LoadedProgram::placeGlobals(Run &run) const {
  for (auto [slot, variable] : kernel.globals) {
    if (run.globals.count(variable))
      continue;
    uint64_t address =
        run.memory.allocate(std::max<uint64_t>(1, variable->bytes));
    Allocation *allocation = run.memory.find(address, 1);
    if (!allocation)
      return createStringError("no memory for '" + variable->name + "'");
    allocation->name = "'" + variable->name + "'";
    // Bytes without an initial value are zero.
    std::fill(allocation->bytes.begin(), allocation->bytes.end(), 0);
    std::copy(variable->initializer.begin(), variable->initializer.end(),
              allocation->bytes.begin());
    allocation->isWritten.assign(allocation->bytes.size(), true);
    run.globals[variable] = address;
  }
  return Error::success();
}

/// Runs the clusters of a cooperative launch in rounds: each one until it has
/// executed an instruction that orders clusters. All clusters thus pass a
/// barrier of the grid before one comes to the next. A cluster that left the
/// barrier late would acquire what others have done since. If none makes a
/// change in a round, and all repeat themselves, they wait for ever.
static void runTogether(Run &run, uint64_t count) {
  std::vector<std::unique_ptr<Cluster>> waiting;
  uint64_t numEnded = 0;
  for (uint64_t i = 0; i < count; ++i)
    waiting.push_back(std::make_unique<Cluster>(run, i));
  while (!waiting.empty()) {
    uint64_t changes = run.changes;
    size_t numWaiting = 0;
    bool allRepeat = true;
    for (std::unique_ptr<Cluster> &cluster : waiting) {
      Outcome outcome = cluster->execute();
      if (outcome == Outcome::Failed)
        return;
      allRepeat &= outcome == Outcome::Blocked && cluster->waitsForOthers();
      if (outcome == Outcome::Blocked)
        std::swap(waiting[numWaiting++], cluster);
      else if (run.options.progress)
        run.options.progress(++numEnded, count);
    }
    waiting.resize(numWaiting);
    if (numWaiting != 0 && allRepeat && changes == run.changes)
      return waiting.front()->reportWait();
  }
}

Error LoadedProgram::launch(const LaunchConfig &config,
                            ArrayRef<SmallVector<uint8_t, 8>> parameters,
                            GlobalMemory &memory, const Options &options,
                            std::vector<Finding> &findings,
                            Statistics *statistics) const {
  if (Error error = verify(config, parameters))
    return error;
  uint64_t clusters = 1;
  bool hasClusters = false;
  for (unsigned i = 0; i < 3; ++i) {
    clusters *= config.grid[i] / config.cluster[i];
    hasClusters |= config.cluster[i] > 1;
  }
  Run run{*this,
          kernel,
          config,
          options,
          memory,
          findings,
          {},
          {},
          sim::Chooser(options.deviations),
          0,
          /*changes=*/0,
          ClusterHistory(/*hasOneCluster=*/clusters == 1, kernel.isOrdered,
                         hasClusters ? "cluster" : "CTA"),
          {},
          {}};
  run.parameters.resize(kernel.parameterBytes);
  for (auto [i, bytes] : llvm::enumerate(parameters))
    std::copy(bytes.begin(), bytes.end(),
              run.parameters.begin() + kernel.parameterOffsets[i]);
  if (Error error = placeGlobals(run))
    return error;
  if (config.cooperative)
    runTogether(run, clusters);
  for (uint64_t i = 0; i < clusters && !config.cooperative; ++i) {
    if (Cluster(run, i).execute() == Outcome::Failed)
      break;
    if (options.progress)
      options.progress(i + 1, clusters);
  }
  for (auto [variable, address] : run.globals)
    memory.free(address);
  if (findings.empty())
    if (Error error = run.chooser.verify())
      return error;
  if (statistics) {
    statistics->ctas = clusters * run.countClusterCtas();
    statistics->steps = run.steps;
    statistics->choices = run.chooser.getChoices();
  }
  return Error::success();
}

Expected<std::unique_ptr<Program>> Program::load(const Module &module,
                                                 const Kernel &kernel) {
  Expected<std::unique_ptr<Kernel>> inlined = inlineCalls(module, kernel);
  if (!inlined)
    return inlined.takeError();
  Expected<DecodedKernel> decoded =
      Decoder(module, *inlined ? **inlined : kernel).run();
  if (!decoded)
    return decoded.takeError();
  return std::make_unique<LoadedProgram>(std::move(*inlined),
                                         std::move(*decoded));
}
