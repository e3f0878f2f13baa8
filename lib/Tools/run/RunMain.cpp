//===- RunMain.cpp - The tile-run driver ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FILE -> module -> (passes) -> kernel -> launch -> results. The arguments and
// the expected results are read before anything runs, so that a wrong
// invocation costs no time.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/run/RunMain.h"

#include "Arguments.h"
#include "Report.h"

#include "tessera/Array/NumpyFile.h"
#include "tessera/InitAll.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <chrono>

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;
namespace cl = llvm::cl;

namespace {
struct Options {
  cl::OptionCategory category{"tile-run options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.{tile,mlir}"),
                             cl::Required, cl::cat(category)};
  cl::opt<std::string> kernel{
      "kernel", cl::desc("The kernel to run (default: the only one)"),
      cl::value_desc("NAME"), cl::cat(category)};
  cl::list<std::string> defines{"D", cl::desc("Set a compile-time parameter"),
                                cl::value_desc("NAME=VALUE"), cl::Prefix,
                                cl::cat(category)};
  cl::opt<std::string> device{
      "device", cl::desc("Where to run: cpu, the interpreter"),
      cl::value_desc("NAME"), cl::init("cpu"), cl::cat(category)};
  cl::list<std::string> args{
      "arg",
      cl::desc("An argument: @file.npy, randn(…), rand(…), randint(lo, hi, …), "
               "zeros(…), ones(…), full(x, …), arange(n), a number, or (…) for "
               "the shape of an output"),
      cl::value_desc("NAME=SPEC"), cl::cat(category)};
  cl::list<std::string> saves{
      "save", cl::desc("Write a tensor to a file (narrow floats as f32)"),
      cl::value_desc("NAME=FILE.npy"), cl::cat(category)};
  cl::list<std::string> prints{"print", cl::desc("Print a tensor"),
                               cl::value_desc("NAME"), cl::cat(category)};
  cl::list<std::string> expects{
      "expect",
      cl::desc("Compare a tensor with a file, or with a generated array"),
      cl::value_desc("NAME=FILE.npy"), cl::cat(category)};
  cl::opt<double> relative{
      "rtol",
      cl::desc("Relative tolerance per element (default: by element type)"),
      cl::cat(category)};
  cl::opt<double> absolute{
      "atol",
      cl::desc("Absolute tolerance per element (default: by element type)"),
      cl::cat(category)};
  cl::opt<double> rms{
      "rms", cl::desc("Compare by relative RMS error instead of per element"),
      cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of generated arguments"),
                         cl::init(0), cl::cat(category)};
  cl::opt<uint64_t> gridOrder{
      "grid-order", cl::desc("Run the grid in a random order of this seed"),
      cl::value_desc("SEED"), cl::cat(category)};
  cl::opt<uint64_t> stepLimit{
      "step-limit", cl::desc("Give up after so many executed operations"),
      cl::init(interp::RunOptions().stepLimit), cl::cat(category)};
  cl::opt<std::string> passPipeline{
      "pass-pipeline", cl::desc("Passes to run before, as in tile-opt"),
      cl::value_desc("PIPELINE"), cl::cat(category)};
  cl::opt<bool> time{"time", cl::desc("Print how long the run took"),
                     cl::cat(category)};
};
} // namespace

static llvm::Error checkDevice(StringRef device) {
  if (device == "cpu")
    return llvm::Error::success();
  if (device == "cuda" || device == "sim")
    return array::makeError("--device " + device +
                            " is not built yet; only cpu, the reference "
                            "interpreter, is");
  return array::makeError("unknown device '" + device +
                          "'; expected cpu, cuda or sim");
}

/// The kernel to run: the only one of the file, or that of --kernel (then it is
/// the only one that was kept).
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

static array::Tolerance getTolerance(const Options &options,
                                     array::ElementType type) {
  array::Tolerance tolerance = array::Tolerance::getDefault(type);
  if (options.relative.getNumOccurrences() != 0)
    tolerance.relative = options.relative;
  if (options.absolute.getNumOccurrences() != 0)
    tolerance.absolute = options.absolute;
  if (options.rms.getNumOccurrences() != 0)
    tolerance.rms = options.rms;
  return tolerance;
}

/// Reads one expected result, a file (with or without @) or a generated array.
static llvm::Expected<Expectation> readExpectation(interp::Launch &launch,
                                                   const Options &options,
                                                   StringRef name,
                                                   StringRef text) {
  llvm::Expected<unsigned> index =
      findTensor(launch.getKernel(), "expect", name);
  if (!index)
    return index.takeError();
  auto inContext = [&](const Twine &message) {
    return array::makeError("--expect " + name + ": " + message);
  };
  interp::GlobalTensor &tensor = *launch.getTensor(*index);
  // Shapes are compared before an array is generated, which could be huge.
  auto checkShape = [&](ArrayRef<int64_t> shape) -> llvm::Error {
    if (shape == tensor.getShape())
      return llvm::Error::success();
    return array::makeError("the expected array has shape " +
                            array::formatShape(shape) + ", but '" + name +
                            "' has shape " +
                            array::formatShape(tensor.getShape()));
  };
  llvm::Expected<NDArray> reference = [&]() -> llvm::Expected<NDArray> {
    if (text.ends_with(".npy"))
      return array::readNumpyFile(text.starts_with("@") ? text.drop_front()
                                                        : text);
    llvm::Expected<array::ArraySpec> spec = array::ArraySpec::parse(text);
    if (!spec)
      return spec.takeError();
    if (spec->kind == array::ArraySpec::Kind::File)
      return array::readNumpyFile(spec->path);
    if (llvm::Error error = checkShape(spec->shape))
      return std::move(error);
    return spec->materialize(tensor.getType(), options.seed, name);
  }();
  if (!reference)
    return inContext(llvm::toString(reference.takeError()));
  if (llvm::Error error = checkShape(reference->getShape()))
    return inContext(llvm::toString(std::move(error)));
  if (array::isFloat(reference->getType()) != array::isFloat(tensor.getType()))
    return inContext("the expected array is of " +
                     array::getName(reference->getType()) + ", but '" + name +
                     "' is of " + array::getName(tensor.getType()));
  return Expectation{*index, std::move(*reference),
                     getTolerance(options, tensor.getType())};
}

namespace {
/// What is done with the results, checked before the run.
struct Outputs {
  std::vector<Expectation> expectations;
  std::vector<std::pair<unsigned, std::string>> saves;
  std::vector<unsigned> prints;
};
} // namespace

static llvm::Expected<Outputs> readOutputs(interp::Launch &launch,
                                           const Options &options) {
  Outputs outputs;
  llvm::Expected<NamedTexts> expects = splitNames("expect", options.expects);
  if (!expects)
    return expects.takeError();
  for (auto &[name, text] : *expects) {
    llvm::Expected<Expectation> expectation =
        readExpectation(launch, options, name, text);
    if (!expectation)
      return expectation.takeError();
    outputs.expectations.push_back(std::move(*expectation));
  }
  llvm::Expected<NamedTexts> saves = splitNames("save", options.saves);
  if (!saves)
    return saves.takeError();
  for (auto &[name, path] : *saves) {
    llvm::Expected<unsigned> index =
        findTensor(launch.getKernel(), "save", name);
    if (!index)
      return index.takeError();
    outputs.saves.push_back({*index, path.str()});
  }
  for (StringRef name : options.prints) {
    llvm::Expected<unsigned> index =
        findTensor(launch.getKernel(), "print", name);
    if (!index)
      return index.takeError();
    outputs.prints.push_back(*index);
  }
  return outputs;
}

/// Runs the launch and deals with its results. Returns the exit status.
static int execute(interp::Launch &launch, const Options &options,
                   const Outputs &outputs) {
  interp::RunOptions runOptions;
  runOptions.stepLimit = options.stepLimit;
  if (options.gridOrder.getNumOccurrences() != 0)
    runOptions.orderSeed = options.gridOrder;
  interp::RunStatistics statistics;
  auto start = std::chrono::steady_clock::now();
  if (failed(interp::run(launch, runOptions, &statistics)))
    return 1;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;

  bool good =
      printReport(launch, outputs.expectations, llvm::outs(), llvm::errs());
  for (unsigned index : outputs.prints)
    printArray(launch.getKernel().getParamName(index),
               launch.getTensor(index)->toArray(), llvm::outs());
  if (options.time)
    llvm::outs() << "time: " << llvm::format("%.3f", seconds.count()) << " s, "
                 << statistics.programs << " programs, " << statistics.steps
                 << " steps\n";
  for (auto &[index, path] : outputs.saves)
    if (llvm::Error error =
            array::writeNumpyFile(path, launch.getTensor(index)->toArray()))
      return reportUsageError("tile-run", llvm::toString(std::move(error)));
  return good ? 0 : 1;
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

/// Everything that needs a context.
static int runFile(llvm::SourceMgr &sourceMgr, const Options &options,
                   const frontend::CompileOptions &compileOptions) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // A message points into the source; the op would be printed with its regions.
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  OwningOpRef<ModuleOp> module =
      readKernels(sourceMgr, &context, compileOptions);
  if (!module)
    return 1;
  if (!options.passPipeline.empty())
    if (int status = runPasses(*module, options.passPipeline))
      return status;
  llvm::Expected<tile::KernelOp> kernel = chooseKernel(*module, options.input);
  if (!kernel)
    return reportUsageError("tile-run", llvm::toString(kernel.takeError()));

  llvm::Expected<NamedTexts> texts = splitNames("arg", options.args);
  if (!texts)
    return reportUsageError("tile-run", llvm::toString(texts.takeError()));
  llvm::Expected<interp::Launch> launch =
      makeLaunch(*kernel, *texts, options.seed);
  if (!launch)
    return reportUsageError("tile-run", llvm::toString(launch.takeError()));
  llvm::Expected<Outputs> outputs = readOutputs(*launch, options);
  if (!outputs)
    return reportUsageError("tile-run", llvm::toString(outputs.takeError()));
  return execute(*launch, options, *outputs);
}

int tools::runMain(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerAllPasses();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Runs a kernel of the Tessera language\n", &llvm::errs()))
    return kUsageError;
  if (llvm::Error error = checkDevice(options.device))
    return reportUsageError("tile-run", llvm::toString(std::move(error)));
  llvm::Expected<frontend::CompileOptions> compileOptions =
      parseCompileOptions(options.kernel, options.defines);
  if (!compileOptions)
    return reportUsageError("tile-run",
                            llvm::toString(compileOptions.takeError()));
  llvm::SourceMgr sourceMgr;
  if (llvm::Error error = openInput(options.input, sourceMgr))
    return reportUsageError("tile-run", llvm::toString(std::move(error)));
  return runFile(sourceMgr, options, *compileOptions);
}
