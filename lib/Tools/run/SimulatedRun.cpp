//===- SimulatedRun.cpp - A run in the simulator ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the kernel up to a phase and simulates the chosen variant, once per
// interleaving. A written trace is that of the last run.
//
//===----------------------------------------------------------------------===//

#include "SimulatedRun.h"

#include "HostRun.h"

#include "tessera/Array/OutputFile.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Pipelines/Phases.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelLaunch.h"
#include "tessera/Tools/host/Variants.h"
#include "tessera/Tools/launch/Orders.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::tools;

/// Returns the phase after which to simulate; null after a message.
static const Phase *findSimulatedPhase(StringRef name) {
  const Phase *last = nullptr;
  SmallVector<StringRef> names;
  for (const Phase &phase : getPhases()) {
    if (phase.level != Level::SM)
      continue;
    names.push_back(phase.name);
    if (name.empty() || phase.name == name)
      last = &phase;
  }
  if (!last)
    reportUsageError("tile-run", "--phase: '" + name +
                                     "' is no phase of the sm level; expected "
                                     "one of " +
                                     llvm::join(names, ", "));
  return last;
}

/// Checks the files of the options, before any kernel runs.
static llvm::Error checkOptions(const SimulatorOptions &options,
                                const ResultOptions &results) {
  if (options.trace.empty())
    return llvm::Error::success();
  if (llvm::Error error = array::checkWritable(options.trace))
    return array::makeError("--trace: " + llvm::toString(std::move(error)));
  for (StringRef save : results.saves)
    if (array::isSameFile(save.split('=').second.trim(), options.trace))
      return array::makeError("--trace: '" + options.trace +
                              "' is already the file of --save " +
                              save.split('=').first.trim());
  if (array::isSameFile(results.plot, options.trace))
    return array::makeError("--trace: '" + options.trace +
                            "' is already the file of --plot");
  return llvm::Error::success();
}

/// Checks whether the text is simulated unchanged.
static bool isWrittenByHand(ModuleOp module) {
  FailureOr<const Phase *> completed = getCompletedPhase(module);
  return succeeded(completed) && !*completed &&
         !module.getOps<sm::KernelOp>().empty();
}

/// Returns the first variant whose conditions hold, as a launch chooses it.
static llvm::Expected<sm::KernelOp>
chooseRequestedVariant(ModuleOp module, StringRef file,
                       const ArgumentOptions &options) {
  SmallVector<sm::KernelOp> variants = getVariants(module);
  SmallVector<StringRef> names;
  for (sm::KernelOp kernel : variants)
    if (!llvm::is_contained(names, sm::getSourceName(kernel)))
      names.push_back(sm::getSourceName(kernel));
  if (names.empty())
    return array::makeError("'" + file + "' has no kernel");
  if (names.size() > 1)
    return array::makeError(
        "'" + file + "' has several kernels; choose one with --kernel: " +
        llvm::join(names, ", "));

  Signature signature = getSignature(variants.front());
  llvm::Expected<std::vector<HostArgument>> arguments =
      readArguments(signature, options.args);
  if (!arguments)
    return arguments.takeError();
  return tools::chooseVariant(variants, [&](sm::KernelOp first) {
    return bindSizes(first, *arguments);
  });
}

int tools::simulateOnHost(ModuleOp module, StringRef file,
                          const ArgumentOptions &arguments,
                          const ResultOptions &results,
                          const SimulatorOptions &options, uint64_t stepLimit) {
  const Phase *phase = findSimulatedPhase(options.phase);
  if (!phase)
    return kUsageError;
  if (llvm::Error error = checkOptions(options, results))
    return reportUsageError("tile-run", llvm::toString(std::move(error)));
  llvm::Expected<std::unique_ptr<Orders>> orders =
      Orders::get(options.orders.getRequest());
  if (!orders)
    return reportUsageError("tile-run", llvm::toString(orders.takeError()));
  if (!isWrittenByHand(module)) {
    if (failed(runPhases(module, *phase, PhaseOptions())))
      return 1;
  } else if (options.phase.getNumOccurrences() != 0) {
    return reportUsageError("tile-run", "--phase: '" + file +
                                            "' holds kernels of the sm level "
                                            "that no phase has made");
  }
  llvm::Expected<sm::KernelOp> kernel =
      chooseRequestedVariant(module, file, arguments);
  if (!kernel)
    return reportUsageError("tile-run", llvm::toString(kernel.takeError()));

  sim::Options simOptions;
  simOptions.tracePath = options.trace;
  simOptions.multiprocessors = options.orders.multiprocessors;
  simOptions.stepLimit = stepLimit;
  simOptions.tables = sim::makeLayoutTables();
  RunProgress progress(module.getContext(), "clusters");
  simOptions.progress = progress.getHandler();
  sim::Statistics statistics;
  auto execute = [&](interp::Launch &launch, std::string &took) {
    Schedule schedule = (*orders)->getSchedule();
    simOptions.order = schedule.order;
    simOptions.seed = schedule.seed;
    simOptions.deviations = schedule.deviations;
    statistics = {};
    LogicalResult result = sim::simulate(launch, simOptions, &statistics);
    took = std::to_string(statistics.ctas) + " blocks, " +
           std::to_string(statistics.steps) + " steps";
    return result;
  };
  int status = runOnHost(*kernel, arguments, results, "sim", execute, [&] {
    return (*orders)->advance(statistics.choices);
  });
  std::string note = (*orders)->describe(/*hasFailed=*/status == 1);
  if (status <= 1 && !note.empty()) {
    llvm::outs().flush();
    llvm::WithColor::note(llvm::errs(), "tile-run") << note << "\n";
  }
  return status;
}
