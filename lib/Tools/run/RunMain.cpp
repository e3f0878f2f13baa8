//===- RunMain.cpp - The tile-run driver ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of tile-run, with two ways. In the interpreter, on the processor
// or in the simulator: FILE -> module -> (passes) -> kernel -> launch ->
// results. On a GPU or in the emulator of PTX: FILE -> (module ->) package ->
// launch -> results. The arguments and the expected results are read before any
// kernel runs, so that a wrong invocation costs no time.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/run/RunMain.h"

#include "HostRun.h"
#include "SimulatedRun.h"

#include "tessera/Host/HostLaunch.h"
#include "tessera/InitAll.h"
#include "tessera/Pipelines/CompilePackage.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"
#include "tessera/Tools/KernelLaunch.h"
#include "tessera/Tools/OptionRules.h"
#include "tessera/Tools/OutsideLoads.h"
#include "tessera/Tools/RepeatedDiagnostics.h"
#include "tessera/Tools/launch/EmulatedRun.h"
#include "tessera/Tools/launch/PackageRun.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory launching{"Arguments and device"};
  cl::OptionCategory checking{"Results"};
  cl::OptionCategory simulating{"Simulator and emulator (--device sim, ptx)"};
  cl::OptionCategory compiling{"Source"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.{tile,mlir,tpk}"),
                             cl::Required, cl::cat(compiling)};
  ArgumentOptions arguments{launching};
  ResultOptions results{checking};
  cl::list<std::string> defines{"D", cl::desc("Set a compile-time parameter"),
                                cl::value_desc("NAME=VALUE"), cl::Prefix,
                                cl::cat(compiling)};
  cl::opt<std::string> device{
      "device",
      cl::desc("Device: interpreter, the reference (the default for sources), "
               "cpu, code for this processor, cuda (the default for "
               "packages), sim, a simulated multiprocessor, or ptx, an "
               "emulator of the PTX"),
      cl::value_desc("NAME"), cl::cat(launching)};
  cl::opt<uint64_t> gridOrder{
      "grid-order", cl::desc("Run the grid in a random order with this seed"),
      cl::value_desc("SEED"), cl::cat(launching)};
  const std::string stepHelp =
      llvm::formatv("Fail after this number of executed operations (default: "
                    "{0}), or of instructions of PTX (default: {1})",
                    kDefaultOperationLimit, kDefaultInstructionLimit);
  cl::opt<uint64_t> stepLimit{"step-limit", cl::desc(stepHelp),
                              cl::init(kDefaultOperationLimit),
                              cl::cat(launching)};
  SimulatorOptions simulator{simulating};
  cl::opt<std::string> passPipeline{
      "pass-pipeline", cl::desc("Passes to run first, as in tile-opt"),
      cl::value_desc("PIPELINE"), cl::cat(compiling)};
  cl::opt<std::string> fillOutside{
      "fill-outside",
      cl::desc("Let loads outside of a tensor yield NaN, or the smallest "
               "integer, instead of zero"),
      cl::value_desc("nan"), cl::cat(compiling)};

  bool isPackage() const { return StringRef(input).ends_with(".tpk"); }
  bool isEmulated() const { return device == "ptx"; }
  bool isCuda() const {
    return device == "cuda" || (isPackage() && device.empty());
  }
  /// Returns the limit of the emulator, which counts other steps than the
  /// interpreter.
  std::optional<uint64_t> getEmulatedSteps() const {
    if (stepLimit.getNumOccurrences() == 0)
      return std::nullopt;
    return stepLimit.getValue();
  }
};
} // namespace

/// Checks that the device exists and supports every given option.
static llvm::Error checkDevice(const Options &options) {
  StringRef device = options.device;
  if (!llvm::is_contained({"", "cpu", "cuda", "interpreter", "ptx", "sim"},
                          device))
    return array::makeError("unknown device '" + device +
                            "'; expected cpu, cuda, interpreter, ptx or sim");
  if (options.isPackage() && !options.isCuda() && !options.isEmulated())
    return array::makeError(
        "'" + options.input + "' holds machine code of a GPU, which --device " +
        device +
        " cannot run; give it the source, or run its PTX with --device ptx");
  if (options.fillOutside.getNumOccurrences() && options.fillOutside != "nan")
    return array::makeError("--fill-outside: expected nan, got '" +
                            options.fillOutside + "'");
  if (options.stepLimit == 0)
    return array::makeError("--step-limit: expected at least 1, got 0");
  bool isCuda = options.isCuda(), isSimulated = device == "sim";
  bool isHost = !isCuda && !isSimulated && !options.isEmulated();
  return checkOptionRules(
      {{isCuda, {options.arguments.gpu}, "is for --device cuda"},
       {!options.isPackage(),
        {options.defines, options.passPipeline, options.fillOutside},
        "is for sources; the kernels of a package are compiled"},
       {!isCuda, {options.stepLimit}, "is for other devices than cuda"},
       {isHost, {options.gridOrder}, "is for --device interpreter and cpu"},
       {isSimulated, options.simulator.getOwnOptions(), "is for --device sim"},
       {isSimulated || options.isEmulated(),
        options.simulator.orders.getOptions(), "is for --device sim and ptx"}});
}

/// Returns the kernel to run: the only one of the file, or that of --kernel
/// (which is then the only remaining one).
static llvm::Expected<tile::KernelOp> chooseKernel(ModuleOp module,
                                                   StringRef file) {
  auto kernels = llvm::to_vector(module.getOps<tile::KernelOp>());
  if (kernels.size() == 1)
    return kernels.front();
  if (kernels.empty())
    return array::makeError("'" + file + "' has no kernel");
  auto names = llvm::map_range(
      kernels, [](tile::KernelOp kernel) { return kernel.getSymName(); });
  return array::makeError("'" + file +
                          "' has several kernels; choose one with --kernel: " +
                          llvm::join(names, ", "));
}

/// Runs the kernel in the interpreter, or compiled for this processor. Returns
/// the exit status.
static int runKernel(tile::KernelOp kernel, const Options &options) {
  interp::RunOptions runOptions;
  runOptions.stepLimit = options.stepLimit.getValue();
  if (options.gridOrder.getNumOccurrences() != 0)
    runOptions.orderSeed = options.gridOrder;
  RunProgress progress(kernel.getContext(), "programs");
  runOptions.progress = progress.getHandler();
  std::unique_ptr<host::NativeKernel> compiled;
  std::string compiledIn;
  // A random order of programs is left to the interpreter, as in Python.
  if (options.device == "cpu" && !runOptions.orderSeed) {
    if (failed(interp::verifyExecutable(kernel)))
      return 1;
    auto start = std::chrono::steady_clock::now();
    FailureOr<std::unique_ptr<host::NativeKernel>> code =
        host::NativeKernel::compile(kernel);
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    llvm::raw_string_ostream(compiledIn)
        << llvm::format(", compiled in %.3f s", seconds.count());
    if (succeeded(code))
      compiled = std::move(*code);
  }
  auto execute = [&](interp::Launch &launch, std::string &took) {
    interp::RunStatistics statistics;
    LogicalResult result =
        host::run(launch, compiled.get(), runOptions, &statistics);
    took = std::to_string(statistics.programs) + " programs";
    took += compiled ? compiledIn
                     : ", " + std::to_string(statistics.steps) + " steps";
    return result;
  };
  return runOnHost(kernel, options.arguments, options.results,
                   options.device == "cpu" ? "cpu" : "interpreter", execute);
}

/// Runs a kernel with checks and prints in the interpreter, since code of a GPU
/// has none. Returns the exit status.
static int runChecks(ModuleOp module, const Options &options) {
  if (!interp::hasReports(module))
    return 0;
  llvm::Expected<tile::KernelOp> kernel = chooseKernel(module, options.input);
  if (!kernel)
    return reportUsageError("tile-run", llvm::toString(kernel.takeError()));
  Signature signature = getSignature(*kernel);
  llvm::Expected<std::vector<HostArgument>> arguments =
      readArguments(signature, options.arguments.args);
  if (!arguments)
    return reportUsageError("tile-run", llvm::toString(arguments.takeError()));
  llvm::Expected<interp::Launch> launch =
      makeLaunch(*kernel, *arguments, options.arguments.seed);
  if (!launch)
    return reportUsageError("tile-run", llvm::toString(launch.takeError()));
  interp::RunOptions runOptions;
  runOptions.stepLimit = options.stepLimit.getValue();
  return failed(interp::run(*launch, runOptions));
}

/// Runs the passes of --pass-pipeline.
static int runPasses(ModuleOp module, StringRef pipeline) {
  std::string message;
  llvm::raw_string_ostream os(message);
  FailureOr<OpPassManager> passes = parsePassPipeline(pipeline, os);
  if (failed(passes))
    return reportUsageError("tile-run",
                            "--pass-pipeline: " + StringRef(message).trim());
  if (passes->getOpAnchorName() != ModuleOp::getOperationName())
    return reportUsageError("tile-run",
                            "--pass-pipeline: expected "
                            "'builtin.module(…)', but got a pipeline for '" +
                                passes->getOpAnchorName() + "'");
  PassManager manager(module.getContext());
  static_cast<OpPassManager &>(manager) = *passes;
  return failed(manager.run(module));
}

/// Runs a package on a GPU or in the emulator.
static int runCompiled(rt::KernelPackage package, const Options &options) {
  if (!options.isEmulated())
    return runPackage("tile-run", package, options.arguments, options.results);
  return runPackageEmulated("tile-run", std::move(package), options.arguments,
                            options.results, options.simulator.orders,
                            options.getEmulatedSteps());
}

static int runPackageFile(const Options &options) {
  llvm::Expected<rt::KernelPackage> package =
      rt::KernelPackage::readFile(options.input);
  if (!package)
    return reportUsageError("tile-run", llvm::toString(package.takeError()));
  return runCompiled(std::move(*package), options);
}

/// Runs everything that needs a context.
static int runFile(llvm::SourceMgr &sourceMgr, const Options &options,
                   const frontend::CompileOptions &compileOptions) {
  DialectRegistry registry;
  registerAllDialects(registry);
  ptx::registerEmissionDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // A message points to the source; the op would be printed with its regions.
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  RepeatedDiagnostics once(&context, RepeatedDiagnostics::Kinds::Warnings);
  OwningOpRef<ModuleOp> module =
      readKernels(sourceMgr, &context, compileOptions);
  if (!module)
    return 1;
  if (!options.fillOutside.empty())
    fillOutsideLoads(*module);
  if (!options.passPipeline.empty())
    if (int status = runPasses(*module, options.passPipeline))
      return status;
  if (options.isEmulated() || options.device == "sim")
    if (int status = runChecks(*module, options))
      return status;
  if (options.isCuda() || options.isEmulated()) {
    PackageOptions packageOptions;
    packageOptions.ptxOnly = packageOptions.lineTables = options.isEmulated();
    FailureOr<rt::KernelPackage> package =
        compilePackage(*module, packageOptions);
    if (failed(package))
      return 1;
    return runCompiled(std::move(*package), options);
  }
  if (options.device == "sim")
    return simulateOnHost(*module, options.input, options.arguments,
                          options.results, options.simulator,
                          options.stepLimit);
  llvm::Expected<tile::KernelOp> kernel = chooseKernel(*module, options.input);
  if (!kernel)
    return reportUsageError("tile-run", llvm::toString(kernel.takeError()));

  return runKernel(*kernel, options);
}

static constexpr llvm::StringLiteral kExamples[] = {
    "tile-run kernel.tile --arg 'x=randn(8, 64)' --save x=x.npy --save y=y.npy",
    "tile-run kernel.tile --arg x=x.npy --expect y=y.npy",
    "tile-run kernel.tile --arg x=x.npy --device sim --seeds 20   # races and "
    "deadlocks",
    "tile-run kernel.tile --arg x=x.npy --device ptx              # the PTX "
    "itself",
    "tile-run kernel.tile --arg x=x.npy --plot -                  # a picture "
    "as text",
};

int tools::runMain(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerAllPasses();
  Options options;
  hideOtherOptions({&options.launching, &options.checking, &options.simulating,
                    &options.compiling},
                   kExamples);
  if (!parseCommandLine(argc, argv, "Runs a kernel of the Tessera language\n"))
    return kUsageError;
  if (llvm::Error error = checkDevice(options))
    return reportUsageError("tile-run", llvm::toString(std::move(error)));
  if (options.isPackage())
    return runPackageFile(options);
  llvm::Expected<frontend::CompileOptions> compileOptions =
      parseCompileOptions(options.arguments.kernel, options.defines);
  if (!compileOptions)
    return reportUsageError("tile-run",
                            llvm::toString(compileOptions.takeError()));
  llvm::SourceMgr sourceMgr;
  if (llvm::Error error = openInput(options.input, sourceMgr))
    return reportUsageError("tile-run", llvm::toString(std::move(error)));
  return runFile(sourceMgr, options, *compileOptions);
}
