//===- SimulatedKernel.cpp - A kernel in the simulator ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run simulates the variant that a launch would choose, once per
// interleaving. The results are those of the last interleaving.
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

#include "tessera/Pipelines/Phases.h"
#include "tessera/Simulator/Simulator.h"
#include "tessera/Tools/RepeatedDiagnostics.h"
#include "tessera/Tools/host/Variants.h"

using namespace tessera;
using namespace tessera::tools;

namespace {
class SimulatedKernel : public HostKernel {
public:
  llvm::Error compile(const HostSource &source, const HostOptions &options) {
    if (llvm::Error error = Orders::get(options.orders).takeError())
      return error;
    if (llvm::Error error = module.compile(source, options))
      return error;
    orders = options.orders;
    metadata = describeKernel(module.getKernel());
    module.keepReports();
    RepeatedDiagnostics once(module.get().getContext(),
                             RepeatedDiagnostics::Kinds::Warnings);
    if (failed(
            runPhases(module.get(), getLastSimulatedPhase(), PhaseOptions())))
      return llvm::make_error<HostCompileError>(module.takeMessages());
    warnings = module.takeMessages();
    simOptions.multiprocessors = orders.multiprocessors;
    simOptions.stepLimit =
        makeLimit(options.stepLimit.value_or(simOptions.stepLimit));
    simOptions.tables = sim::makeLayoutTables();
    return llvm::Error::success();
  }

private:
  llvm::Error execute(llvm::ArrayRef<rt::Argument> arguments,
                      const llvm::StringMap<int64_t> &sizes) override {
    if (llvm::Error error =
            module.runReports(arguments, sizes, simOptions.stepLimit))
      return error;
    std::unique_ptr<Orders> orders = llvm::cantFail(Orders::get(this->orders));
    llvm::Expected<sm::KernelOp> variant =
        chooseVariant(getVariants(module.get()), [&](sm::KernelOp kernel) {
          return bindSizes(kernel, arguments, sizes);
        });
    if (!variant)
      return variant.takeError();
    while (true) {
      llvm::Expected<interp::Launch> launch =
          makeLaunch(*variant, arguments, sizes, "sim");
      if (!launch)
        return launch.takeError();
      Schedule schedule = orders->getSchedule();
      simOptions.order = schedule.order;
      simOptions.seed = schedule.seed;
      simOptions.deviations = schedule.deviations;
      sim::Statistics statistics;
      if (failed(sim::simulate(*launch, simOptions, &statistics)))
        return llvm::make_error<HostDefectError>(
            HostDefectError::Kind::Execution,
            addNote(module.takeMessages(),
                    orders->describe(/*hasFailed=*/true)));
      if (orders->advance(statistics.choices))
        continue;
      return finishLaunch(*launch, metadata, arguments);
    }
  }

  HostModule module;
  OrderRequest orders;
  sim::Options simOptions;
};
} // namespace

llvm::Expected<std::unique_ptr<HostKernel>>
tools::compileForSimulator(const HostSource &source,
                           const HostOptions &options) {
  auto kernel = std::make_unique<SimulatedKernel>();
  if (llvm::Error error = kernel->compile(source, options))
    return std::move(error);
  return std::move(kernel);
}
