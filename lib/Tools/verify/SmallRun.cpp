//===- SmallRun.cpp - Traces of kernels on small arguments ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates each kernel once on generated arguments, in a random interleaving,
// and keeps the trace or the first problem.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/verify/SmallRun.h"

#include "SmallArguments.h"

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Simulator/Simulator.h"
#include "tessera/Tools/KernelLaunch.h"

#include "mlir/IR/Diagnostics.h"

using namespace tessera;
using namespace tessera::tools;

/// Largest number of steps; a picture of more would not be readable.
static constexpr uint64_t kMostSteps = 1 << 18;
/// Number of iterations of the loops that walk a size.
static constexpr unsigned kIterations = 6;

void SmallRuns::readSignatures(ModuleOp module) {
  auto read = [&](const interp::KernelView &kernel, StringRef name) {
    auto [known, isNew] = runs.try_emplace(name.str());
    if (!isNew)
      return;
    llvm::Expected<std::vector<std::string>> values =
        makeSmallArguments(kernel, getSignature(kernel), given, kIterations);
    if (values)
      known->second.values = std::move(*values);
    else
      known->second.problem = llvm::toString(values.takeError());
  };
  for (auto kernel : module.getOps<tile::KernelOp>())
    read(kernel, kernel.getSymName());
  for (auto kernel : module.getOps<sm::KernelOp>())
    read(kernel, sm::getSourceName(kernel));
}

/// Simulates `kernel`. Returns nothing if it does not support its sizes.
static llvm::Expected<std::optional<sim::Trace>>
simulate(sm::KernelOp kernel, ArrayRef<std::string> values, uint64_t seed) {
  Signature signature = getSignature(kernel);
  llvm::Expected<std::vector<HostArgument>> arguments =
      readArguments(signature, values);
  if (!arguments)
    return arguments.takeError();
  llvm::Expected<interp::SizeBinding> sizes = bindSizes(kernel, *arguments);
  if (!sizes)
    return sizes.takeError();
  if (ArrayAttr conditions = kernel.getConditionsAttr())
    for (auto condition : conditions.getAsRange<tile::SizeAttr>())
      if (sizes->evaluate(condition) != 0)
        return std::nullopt;
  llvm::Expected<interp::Launch> launch = makeLaunch(kernel, *arguments, seed);
  if (!launch)
    return launch.takeError();

  sim::Trace trace;
  sim::Options options;
  // Random interleaving: agents run concurrently on the machine.
  options.order = sim::Order::Random;
  options.seed = seed;
  options.stepLimit = kMostSteps;
  options.trace = &trace;
  std::string problem;
  ScopedDiagnosticHandler handler(kernel.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (problem.empty())
                                      problem = diagnostic.str();
                                    return success();
                                  });
  if (failed(sim::simulate(*launch, options)))
    return llvm::createStringError(problem);
  return trace;
}

void SmallRuns::simulate(ModuleOp module) {
  for (auto kernel : module.getOps<sm::KernelOp>()) {
    auto found = runs.find(sm::getSourceName(kernel).str());
    if (found == runs.end())
      continue;
    Run &run = found->second;
    // The first variant that supports the arguments was already simulated.
    if (!run.variant.empty() || run.values.empty())
      continue;
    llvm::Expected<std::optional<sim::Trace>> trace =
        ::simulate(kernel, run.values, seed);
    if (trace && !*trace) {
      run.problem = "its arguments meet the requirements of no variant";
      continue;
    }
    run.variant = kernel.getSymName().str();
    if (trace)
      run.trace = std::move(*trace);
    else
      run.problem = llvm::toString(trace.takeError());
  }
}

void SmallRuns::write(llvm::json::OStream &json) const {
  json.array([&] {
    for (const auto &[name, run] : runs)
      json.object([&, &name = name, &run = run] {
        json.attribute("kernel", llvm::json::fixUTF8(name));
        json.attribute("variant", llvm::json::fixUTF8(run.variant));
        json.attributeArray("arguments", [&] {
          for (const std::string &value : run.values)
            json.value(llvm::json::fixUTF8(value));
        });
        if (!run.trace) {
          json.attribute("problem", llvm::json::fixUTF8(run.problem));
          return;
        }
        json.attributeBegin("trace");
        json.rawValue([&](raw_ostream &os) { run.trace->print(os); });
        json.attributeEnd();
      });
  });
}
