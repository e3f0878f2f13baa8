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
// The phases after the clock may still refuse a configuration. Only candidates
// for the choice run them, unless the caller reads the states of all. Slower
// configurations release their modules. If the candidates are refused, the
// next ones are compiled again.
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

#include <list>
#include <mutex>
#include <set>

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

namespace {
/// The compilation of one configuration.
class Compilation {
public:
  Compilation(llvm::MemoryBufferRef source, const DialectRegistry &registry,
              const frontend::CompileOptions &options,
              const PhaseOptions &phaseOptions,
              TimedConfiguration &configuration)
      : source(source), registry(registry), options(options),
        phaseOptions(phaseOptions), configuration(configuration) {
    llvm::append_range(this->options.defines, configuration.values);
    this->options.observer = nullptr;
    this->phaseOptions.remarks = false;
  }

  /// Compiles to the phase that the clock reads, and predicts the time.
  void measure(const llvm::StringMap<int64_t> &sizes);
  /// Runs the other phases, which refuse products with too few registers.
  void finish();
  /// Releases the module. `finish` then compiles it again.
  void release();

private:
  bool compile();
  void refuse();

  llvm::MemoryBufferRef source;
  const DialectRegistry &registry;
  frontend::CompileOptions options;
  PhaseOptions phaseOptions;
  TimedConfiguration &configuration;
  std::string error = "it does not compile";
  bool isFirstError = true, isFinished = false;
  std::unique_ptr<MLIRContext> context;
  std::optional<ScopedDiagnosticHandler> handler;
  OwningOpRef<ModuleOp> module;
};
} // namespace

/// Compiles to the phase that the clock reads.
bool Compilation::compile() {
  context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  handler.emplace(context.get(), [this](Diagnostic &diagnostic) {
    if (isFirstError && diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      error = diagnostic.str();
      isFirstError = false;
    }
    return success();
  });
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(source, /*RequiresNull=*/false),
      llvm::SMLoc());
  module = frontend::compileTile(sourceMgr, context.get(), options);
  return module && succeeded(runPhases(*module, getTimedPhase(), phaseOptions));
}

void Compilation::refuse() {
  configuration.state = TimedConfiguration::State::Refused;
  configuration.reason = error;
}

void Compilation::measure(const llvm::StringMap<int64_t> &sizes) {
  if (!compile())
    refuse();
  else
    predict(*module, sizes, configuration);
}

void Compilation::finish() {
  if (isFinished || !configuration.isTimed())
    return;
  isFinished = true;
  if ((!module && !compile()) ||
      failed(runPhases(*module, getPhases().back(), phaseOptions)))
    refuse();
}

void Compilation::release() {
  module = nullptr;
  handler.reset();
  context.reset();
}

/// Returns the number of the configuration to take: the first one that is about
/// as fast as the fastest. Stores the number of the fastest in `fastest`.
static size_t choose(ArrayRef<TimedConfiguration> configurations,
                     size_t &fastest) {
  fastest = 0;
  if (configurations.front().state == TimedConfiguration::State::Unknown)
    return 0;
  double least = std::numeric_limits<double>::infinity();
  for (auto [number, configuration] : llvm::enumerate(configurations))
    if (configuration.isTimed() && configuration.seconds < least) {
      least = configuration.seconds;
      fastest = number;
    }
  const auto *found = llvm::find_if(
      configurations, [&](const TimedConfiguration &configuration) {
        return configuration.isTimed() &&
               configuration.seconds <= (1 + kMargin) * least;
      });
  // If none compiles, the error is that of the default.
  return found == configurations.end() ? 0 : found - configurations.begin();
}

static size_t countTimed(ArrayRef<TimedConfiguration> configurations) {
  return llvm::count_if(configurations, [](const TimedConfiguration &one) {
    return one.isTimed();
  });
}

FailureOr<ConfigurationRanking>
tessera::chooseConfiguration(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                             const frontend::CompileOptions &options,
                             const llvm::StringMap<int64_t> &sizes,
                             const PhaseOptions &phaseOptions, RankingUse use) {
  FailureOr<std::vector<frontend::Configuration>> found =
      frontend::findConfigurations(sourceMgr, context, options);
  if (failed(found))
    return failure();
  ConfigurationRanking ranking;
  for (frontend::Configuration &values : *found)
    ranking.configurations.emplace_back().values = std::move(values);
  if (ranking.configurations.size() == 1 && use != RankingUse::Times)
    return ranking;
  llvm::MemoryBufferRef source =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())->getMemBufferRef();
  std::list<Compilation> compilations;
  llvm::DefaultThreadPool pool;
  std::mutex mutex;
  double least = std::numeric_limits<double>::infinity();
  for (TimedConfiguration &configuration : ranking.configurations) {
    Compilation &compilation =
        compilations.emplace_back(source, context->getDialectRegistry(),
                                  options, phaseOptions, configuration);
    pool.async([&] {
      compilation.measure(sizes);
      if (use != RankingUse::Choice)
        compilation.finish();
      bool isCandidate = use == RankingUse::Choice && configuration.isTimed();
      if (isCandidate) {
        std::lock_guard<std::mutex> lock(mutex);
        isCandidate = configuration.seconds <= (1 + kMargin) * least;
        least = std::min(least, configuration.seconds);
      }
      if (!isCandidate)
        compilation.release();
    });
  }
  pool.wait();
  for (bool isFinal = false; !isFinal;) {
    size_t fastest;
    ranking.chosen = choose(ranking.configurations, fastest);
    // Both must compile, since the fastest one determines the margin.
    std::set<size_t> candidates = {ranking.chosen, fastest};
    size_t before = countTimed(ranking.configurations);
    for (size_t number : candidates)
      pool.async(
          [&, number] { std::next(compilations.begin(), number)->finish(); });
    pool.wait();
    isFinal = countTimed(ranking.configurations) == before;
  }
  return ranking;
}
