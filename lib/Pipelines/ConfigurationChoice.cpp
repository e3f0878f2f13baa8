//===- ConfigurationChoice.cpp - Configurations by time ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exhaustive search over the configurations of a kernel. Each one is compiled
// in a context of its own, so they run in parallel, and their diagnostics do
// not mix. Results are stored by number, so the order of the threads does not
// matter.
//
//===----------------------------------------------------------------------===//

#include "tessera/Pipelines/ConfigurationChoice.h"

#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/RegisterPressure.h"
#include "tessera/Timing/KernelClock.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"

using namespace tessera;

/// Times that differ by less are equal. The margin is far below the error of
/// the clock.
static constexpr double kMargin = 0.01;

std::vector<const TimedConfiguration *> ConfigurationRanking::sort() const {
  std::vector<const TimedConfiguration *> sorted;
  for (const TimedConfiguration &configuration : configurations)
    sorted.push_back(&configuration);
  // Equal times keep the order of the source.
  llvm::sort(sorted, [](auto *a, auto *b) {
    return std::tie(a->state, a->seconds, a) <
           std::tie(b->state, b->seconds, b);
  });
  return sorted;
}

/// Returns the variant that a launch with `sizes` runs: the first one whose
/// conditions hold. Null if there is none, or if a size is missing.
static sm::KernelOp findVariant(ModuleOp module,
                                const llvm::StringMap<int64_t> &sizes) {
  for (auto kernel : module.getOps<sm::KernelOp>())
    if (timing::KernelClock(kernel, sizes).meetsConditions())
      return kernel;
  return nullptr;
}

/// Returns the role of `kernel`, or the kernel, that is certain to spill
/// registers; null if none is.
static Operation *findSpilling(sm::KernelOp kernel) {
  for (Operation *scope : sm::getRegisterScopes(kernel))
    if (sm::RegisterPressure(scope).getLeastNeed() >
        sm::getRegisterBudget(scope) + sm::cost::kCountError)
      return scope;
  return nullptr;
}

/// Predicts the time of the kernel of `module`, or stores why it has none.
static void predict(ModuleOp module, const llvm::StringMap<int64_t> &sizes,
                    TimedConfiguration &configuration) {
  using State = TimedConfiguration::State;
  sm::KernelOp kernel = findVariant(module, sizes);
  if (!kernel) {
    configuration.state = State::Refused;
    configuration.reason = "no variant of the kernel has these sizes";
    return;
  }
  if (Operation *scope = findSpilling(kernel)) {
    configuration.state = State::Refused;
    configuration.reason =
        "its threads need about " +
        std::to_string(sm::RegisterPressure(scope).getLeastNeed()) +
        " registers and have " + std::to_string(sm::getRegisterBudget(scope));
    return;
  }
  llvm::Expected<timing::LaunchTime> time =
      timing::KernelClock(kernel, sizes).timeLaunch();
  if (time) {
    configuration.seconds = time->seconds;
    return;
  }
  configuration.state = State::Unknown;
  configuration.reason =
      "no time can be predicted: " + llvm::toString(time.takeError());
}

/// Compiles a configuration and predicts its time.
static void measure(llvm::MemoryBufferRef source, MLIRContext &parent,
                    frontend::CompileOptions options,
                    const llvm::StringMap<int64_t> &sizes,
                    const PhaseOptions &phaseOptions,
                    TimedConfiguration &configuration) {
  MLIRContext context(parent.getDialectRegistry(),
                      MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  std::string error = "it does not compile";
  bool isFirst = true;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (isFirst && diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      error = diagnostic.str();
      isFirst = false;
    }
    return success();
  });
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(source, /*RequiresNull=*/false),
      llvm::SMLoc());
  llvm::append_range(options.defines, configuration.values);
  options.observer = nullptr;
  OwningOpRef<ModuleOp> module =
      frontend::compileTile(sourceMgr, &context, options);
  PhaseOptions quiet = phaseOptions;
  quiet.remarks = false;
  bool compiles =
      module && succeeded(runPhases(*module, getTimedPhase(), quiet));
  if (compiles)
    predict(*module, sizes, configuration);
  // The last phase refuses products with too few registers.
  if (compiles && configuration.isTimed())
    compiles = succeeded(runPhases(*module, getPhases().back(), quiet));
  if (compiles)
    return;
  configuration.state = TimedConfiguration::State::Refused;
  configuration.reason = error;
}

/// Returns the number of the configuration to take: the first one that is about
/// as fast as the fastest.
static size_t choose(ArrayRef<TimedConfiguration> configurations) {
  if (configurations.front().state == TimedConfiguration::State::Unknown)
    return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const TimedConfiguration &configuration : configurations)
    if (configuration.isTimed())
      least = std::min(least, configuration.seconds);
  const auto *found = llvm::find_if(
      configurations, [&](const TimedConfiguration &configuration) {
        return configuration.isTimed() &&
               configuration.seconds <= (1 + kMargin) * least;
      });
  // If none compiles, the error is that of the default.
  return found == configurations.end() ? 0 : found - configurations.begin();
}

FailureOr<ConfigurationRanking>
tessera::chooseConfiguration(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                             const frontend::CompileOptions &options,
                             const llvm::StringMap<int64_t> &sizes,
                             const PhaseOptions &phaseOptions, bool needsTime) {
  FailureOr<std::vector<frontend::Configuration>> found =
      frontend::findConfigurations(sourceMgr, context, options);
  if (failed(found))
    return failure();
  ConfigurationRanking ranking;
  for (frontend::Configuration &values : *found)
    ranking.configurations.emplace_back().values = std::move(values);
  if (ranking.configurations.size() == 1 && !needsTime)
    return ranking;
  llvm::MemoryBufferRef source =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())->getMemBufferRef();
  llvm::DefaultThreadPool pool;
  for (TimedConfiguration &configuration : ranking.configurations)
    pool.async([&] {
      measure(source, *context, options, sizes, phaseOptions, configuration);
    });
  pool.wait();
  ranking.chosen = choose(ranking.configurations);
  return ranking;
}
