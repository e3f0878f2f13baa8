//===- CompileMain.cpp - The tilec driver -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FILE -> module -> phases -> the text of the phase that --emit names, or code.
// The input tells where to begin: .tile source before the first phase, a saved
// phase after that phase.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/compile/CompileMain.h"

#include "KernelReport.h"
#include "Output.h"
#include "TunedPackage.h"
#include "TuningOptions.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Frontend/Frontend.h"
#include "tessera/InitAll.h"
#include "tessera/Pipelines/Phases.h"
#include "tessera/Target/PTX/FindPtxas.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"
#include "tessera/Tools/verify/PassVerification.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/ParseUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;

/// Beyond these nothing changes any more, but sums overflow.
static constexpr int64_t kMaxFetchStages = 64;
static constexpr int64_t kMaxRasterGroup = 65535;
/// What --emit calls the signatures of kernels: no phase has run for them.
static constexpr llvm::StringLiteral kSignatures = "signatures";

namespace {
struct Options {
  cl::OptionCategory compiling{"Compiling"};
  cl::OptionCategory inspecting{"Inspecting"};
  cl::OptionCategory writing{"Output"};
  cl::OptionCategory verifying{"Verifying"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.{tile,mlir}"),
                             cl::Required, cl::cat(compiling)};
  cl::opt<std::string> output{"o", cl::desc("Output file (- is stdout)"),
                              cl::value_desc("FILE"), cl::init("-"),
                              cl::cat(writing)};
  cl::opt<std::string> kernel{"kernel", cl::desc("Compile this kernel only"),
                              cl::value_desc("NAME"), cl::cat(compiling)};
  cl::list<std::string> defines{"D", cl::desc("Set a compile-time parameter"),
                                cl::value_desc("NAME=VALUE"), cl::Prefix,
                                cl::cat(compiling)};
  cl::opt<std::string> emit{
      "emit",
      cl::desc("What to write: the IR after a phase, or an output such as "
               "ptx or package; --list-phases lists them (default: what the "
               "name of the output file says, else the last phase of the tile "
               "level)"),
      cl::value_desc("WHAT"), cl::cat(writing)};
  cl::opt<std::string> target{"target", cl::desc("GPU to make code for"),
                              cl::value_desc("NAME"), cl::cat(compiling)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("The ptxas to run"),
                             cl::value_desc("PATH"), cl::cat(compiling)};
  cl::opt<bool> ptxOnly{
      "ptx-only",
      cl::desc("Leave machine code out of packages: no ptxas is needed, and "
               "the driver compiles the PTX"),
      cl::cat(compiling)};
  cl::opt<bool> lineTables{"line-tables",
                           cl::desc("Keep the lines of the source in the code"),
                           cl::cat(compiling)};
  cl::opt<bool> allowHazards{
      "allow-hazards",
      cl::desc("Keep code whose register budgets ptxas ignores, too, with a "
               "warning"),
      cl::cat(compiling)};
  cl::opt<bool> refuseHazards{
      "refuse-hazards",
      cl::desc("Refuse code that ptxas says it has made slow"),
      cl::cat(compiling)};
  cl::opt<std::string> savePhases{
      "save-phases",
      cl::desc("Write the IR of each phase into this folder; each file is "
               "again an input of tilec"),
      cl::value_desc("DIR"), cl::cat(inspecting)};
  cl::opt<bool> report{
      "report",
      cl::desc("Say what each kernel takes of the machine (on stderr)"),
      cl::cat(inspecting)};
  cl::opt<bool> listPhases{"list-phases",
                           cl::desc("List the phases and outputs"),
                           cl::cat(inspecting)};
  cl::opt<bool> findPtxas{
      "find-ptxas",
      cl::desc("Print the path of ptxas and its version, and stop"),
      cl::cat(inspecting)};
  cl::opt<bool> remarks{
      "remarks",
      cl::desc("Say what each pass did, and what it refused and why"),
      cl::cat(inspecting)};
  cl::opt<int64_t> fetchStages{
      "fetch-stages",
      cl::desc("Stages of loops whose tiles are fetched by threads (1: none)"),
      cl::value_desc("N"), cl::init(0), cl::cat(compiling)};
  cl::opt<int64_t> rasterGroup{
      "raster-group",
      cl::desc(
          "Tiles along the first axis of the grid that are walked together "
          "(0: the compiler chooses)"),
      cl::value_desc("N"), cl::init(0), cl::cat(compiling)};
  cl::opt<bool> locations{"print-locations",
                          cl::desc("Print source locations in the IR"),
                          cl::cat(inspecting)};
  TuningOptions tuning{compiling};
  VerificationOptions verification{verifying};
  cl::opt<bool> verifyDiagnostics{
      "verify-diagnostics",
      cl::desc("Check diagnostics against expected-* comments of the input"),
      cl::cat(verifying)};
};
} // namespace

static void print(ModuleOp module, const Options &options, raw_ostream &os) {
  OpPrintingFlags flags;
  if (options.locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module->print(os, flags);
}

/// Writes the module as `NN-PHASE.mlir` into the folder of --save-phases.
static LogicalResult savePhase(ModuleOp module, const Options &options,
                               const Phase &phase) {
  if (options.savePhases.empty())
    return success();
  SmallString<128> path(options.savePhases.getValue());
  size_t number = &phase - getPhases().data();
  llvm::sys::path::append(path, (number < 10 ? "0" : "") + Twine(number) + "-" +
                                    phase.name + ".mlir");
  if (llvm::Error error = array::writeFile(
          path, [&](raw_ostream &os) { print(module, options, os); }))
    return emitError(module.getLoc()) << llvm::toString(std::move(error));
  return success();
}

namespace {
/// What is to be made of the input.
struct Goal {
  const Phase *last;
  /// Null for the IR after `last`.
  const Output *output = nullptr;
  /// Null for the one that the input names, or the default one.
  const GpuTarget *target = nullptr;
  /// All but the target.
  PackageOptions package;
  /// What callers must know of the kernels, in place of anything made of them.
  bool signatures = false;
};
} // namespace

static LogicalResult runPhases(ModuleOp module, const Options &options,
                               const Phase &last, const GpuTarget *target,
                               TimingScope &timing, KernelReport &report) {
  PhaseOptions phaseOptions;
  phaseOptions.target = target;
  phaseOptions.remarks = options.remarks;
  phaseOptions.fetchStages = options.fetchStages;
  phaseOptions.rasterGroup = options.rasterGroup;
  PassVerification verification(options.verification);
  PhaseHooks hooks;
  hooks.prepare = [&](PassManager &manager) {
    manager.enableTiming(timing);
    if (options.verification.isOn)
      verification.watch(manager);
    return applyPassManagerCLOptions(manager);
  };
  hooks.completed = [&](ModuleOp module, const Phase &phase) {
    if (options.report)
      report.read(module);
    return savePhase(module, options, phase);
  };
  if (failed(runPhases(module, last, phaseOptions, hooks)))
    return failure();
  return options.verification.isOn ? verification.finish(llvm::errs())
                                   : success();
}

/// The target that was asked for, or the one that `module` names.
static FailureOr<const GpuTarget *> getTarget(ModuleOp module,
                                              const Goal &goal) {
  if (goal.target)
    return goal.target;
  if (const GpuTarget *target = sm::findTarget(module))
    return target;
  return ptx::getTarget(module);
}

/// Writes what callers must know of the kernels of a .tile file.
static LogicalResult writeSignatures(llvm::SourceMgr &sourceMgr,
                                     MLIRContext &context,
                                     const Options &options) {
  if (StringRef(options.input).ends_with(".mlir"))
    return emitError(FileLineColLoc::get(&context, options.input, 1, 1))
           << "signatures are those of .tile files: compile-time parameters "
              "are gone from .mlir files";
  FailureOr<std::string> text = frontend::describeKernels(sourceMgr, &context);
  if (failed(text))
    return failure();
  llvm::Error error = array::writeFile(options.output, *text);
  if (!error)
    return success();
  reportUsageError("tilec", llvm::toString(std::move(error)));
  return failure();
}

/// Checks that a number is one that a kernel may have.
static llvm::Error checkNumber(const cl::opt<int64_t> &option, int64_t most) {
  if (option >= 0 && option <= most)
    return llvm::Error::success();
  return llvm::createStringError("--" + option.ArgStr + ": expected 0 to " +
                                 Twine(most) + ", got " + Twine(option));
}

static llvm::Error checkNumbers(const Options &options) {
  return llvm::joinErrors(checkNumber(options.fetchStages, kMaxFetchStages),
                          checkNumber(options.rasterGroup, kMaxRasterGroup));
}

/// Adds what a row of --tuned chooses to the values that -D gives, and to the
/// options.
static llvm::Error applyChoice(const TunedChoice &choice, Options &options,
                               frontend::CompileOptions &compileOptions) {
  for (const auto &[name, value] : choice) {
    cl::opt<int64_t> *number = name == "--fetch-stages"   ? &options.fetchStages
                               : name == "--raster-group" ? &options.rasterGroup
                                                          : nullptr;
    int64_t given;
    if (!number)
      compileOptions.defines.emplace_back(name, value);
    else if (StringRef(value).getAsInteger(10, given))
      return llvm::createStringError(options.tuning.file + ": expected " +
                                     name + " to be an integer, got " + value);
    else if (number->getNumOccurrences() == 0)
      *number = given;
  }
  return checkNumbers(options);
}

/// Everything that reports through diagnostics, and the output, whose errors
/// are of no place in the source.
static LogicalResult compile(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                             const Options &options,
                             const frontend::CompileOptions &compileOptions,
                             const Goal &goal) {
  if (goal.signatures)
    return writeSignatures(sourceMgr, context, options);
  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  TimingScope timing = timingManager.getRootScope();
  TimingScope reading = timing.nest("front end");
  OwningOpRef<ModuleOp> module =
      readKernels(sourceMgr, &context, compileOptions);
  if (!module)
    return failure();
  reading.stop();
  KernelReport report;
  ptx::PtxasReport ptxas;
  if (failed(
          runPhases(*module, options, *goal.last, goal.target, timing, report)))
    return failure();
  FailureOr<const GpuTarget *> target = getTarget(*module, goal);
  if (failed(target))
    return failure();
  PackageOptions package = goal.package;
  package.target = *target;
  std::string text;
  if (goal.output) {
    FailureOr<std::string> made = goal.output->make(
        *module, package, timing, options.report ? &ptxas : nullptr);
    if (failed(made))
      return failure();
    text = std::move(*made);
  } else {
    llvm::raw_string_ostream os(text);
    print(*module, options, os);
  }
  if (llvm::Error error = array::writeFile(options.output, text)) {
    reportUsageError("tilec", llvm::toString(std::move(error)));
    return failure();
  }
  if (options.report) {
    // A file past its last phase has been through none here.
    report.read(*module);
    report.print(**target, ptxas, llvm::errs());
  }
  return success();
}

/// A package of all rows of --tuned; each of them is compiled by itself.
static LogicalResult compileRows(llvm::SourceMgr &sourceMgr,
                                 MLIRContext &context, Options &options,
                                 const frontend::CompileOptions &compileOptions,
                                 const Goal &goal, ArrayRef<TunedRow> rows) {
  DefaultTimingManager timingManager;
  applyDefaultTimingManagerCLOptions(timingManager);
  TimingScope timing = timingManager.getRootScope();
  PackageOptions package = goal.package;
  int64_t fetchStages = options.fetchStages;
  int64_t rasterGroup = options.rasterGroup;
  KernelReport report;
  auto lower = [&](const TunedChoice &choice) -> OwningOpRef<ModuleOp> {
    frontend::CompileOptions own = compileOptions;
    options.fetchStages = fetchStages;
    options.rasterGroup = rasterGroup;
    if (llvm::Error error = applyChoice(choice, options, own)) {
      reportUsageError("tilec", llvm::toString(std::move(error)));
      return nullptr;
    }
    OwningOpRef<ModuleOp> module = readKernels(sourceMgr, &context, own);
    if (!module || failed(runPhases(*module, options, *goal.last, goal.target,
                                    timing, report)))
      return nullptr;
    FailureOr<const GpuTarget *> target = getTarget(*module, goal);
    if (failed(target))
      return nullptr;
    package.target = *target;
    return module;
  };
  FailureOr<std::string> text = makeTunedPackage(rows, package, timing, lower);
  if (failed(text))
    return failure();
  llvm::Error error = array::writeFile(options.output, *text);
  if (!error)
    return success();
  reportUsageError("tilec", llvm::toString(std::move(error)));
  return failure();
}

/// The exit status of a compilation with --tuned.
static int compileTuned(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                        Options &options,
                        frontend::CompileOptions &compileOptions,
                        const Goal &goal) {
  bool allShapes = options.tuning.shape.empty() && goal.output &&
                   goal.output->name == "package";
  FailureOr<std::string> signatures =
      frontend::describeKernels(sourceMgr, &context);
  if (failed(signatures))
    return 1;
  llvm::Expected<std::vector<TunedRow>> rows =
      options.tuning.choose(*signatures, compileOptions, allShapes);
  if (!rows)
    return reportUsageError("tilec", llvm::toString(rows.takeError()));
  bool isForOne = options.report || !options.savePhases.empty();
  if (rows->size() > 1 && isForOne)
    return reportUsageError("tilec",
                            "--tuned without --shape makes a variant for each "
                            "row; --report and --save-phases are for one, "
                            "which --shape names");
  if (rows->size() > 1)
    return failed(
        compileRows(sourceMgr, context, options, compileOptions, goal, *rows));
  if (llvm::Error error =
          applyChoice(rows->front().choice, options, compileOptions))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  return failed(compile(sourceMgr, context, options, compileOptions, goal));
}

static llvm::Expected<Goal> getGoal(const Options &options) {
  Goal goal;
  goal.last = &getLastTilePhase();
  if (options.emit.empty())
    goal.output = findOutputOfFile(options.output);
  else if (options.emit == kSignatures)
    goal.signatures = true;
  else if (const Phase *phase = findPhase(options.emit))
    goal.last = phase;
  else if (!(goal.output = findOutput(options.emit)))
    return llvm::createStringError("unknown phase '" + options.emit +
                                   "'; --list-phases lists them");
  if (goal.output)
    goal.last = &getPhases().back();
  goal.package.ptxas = options.ptxas;
  goal.package.ptxOnly = options.ptxOnly;
  goal.package.lineTables = options.lineTables;
  if (options.allowHazards && options.refuseHazards)
    return llvm::createStringError(
        "--allow-hazards and --refuse-hazards exclude each other");
  if (options.refuseHazards)
    goal.package.hazards = ptx::HazardPolicy::RefuseAll;
  else if (options.allowHazards)
    goal.package.hazards = ptx::HazardPolicy::AllowAll;
  if (options.target.empty())
    return goal;
  goal.target = findGpuTarget(options.target);
  if (!goal.target)
    return llvm::createStringError("unknown target '" + options.target +
                                   "'; there is " + listGpuTargets());
  return goal;
}

static int printPtxas(StringRef given) {
  llvm::Expected<ptx::PtxasProgram> program = ptx::findPtxas(given);
  if (!program)
    return reportUsageError("tilec", llvm::toString(program.takeError()));
  llvm::outs() << program->path << "\n" << program->version << "\n";
  return 0;
}

static void listPhases(raw_ostream &os) {
  for (const Phase &phase : getPhases())
    os << phase.name << ": " << phase.summary << "\n";
  for (const Output &output : getOutputs())
    os << output.name << ": " << output.summary << "\n";
  os << kSignatures << ": what callers must know of the kernels, as JSON\n";
}

int tools::compileMain(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerAllPasses();
  Options options;
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  hideOtherOptions({&options.compiling, &options.inspecting, &options.writing,
                    &options.verifying});
  for (StringRef argument : ArrayRef(argv, argc))
    if (argument == "--list-phases" || argument == "-list-phases") {
      listPhases(llvm::outs());
      return 0;
    } else if (argument == "--find-ptxas" || argument == "-find-ptxas") {
      return printPtxas(options.ptxas);
    }
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "Compiles kernels of the Tessera language\n",
                                   &llvm::errs()))
    return kUsageError;

  llvm::Expected<Goal> goal = getGoal(options);
  if (!goal)
    return reportUsageError("tilec", llvm::toString(goal.takeError()));
  llvm::Expected<frontend::CompileOptions> compileOptions =
      parseCompileOptions(options.kernel, options.defines);
  if (!compileOptions)
    return reportUsageError("tilec",
                            llvm::toString(compileOptions.takeError()));
  if (llvm::Error error = checkNumbers(options))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (llvm::Error error = options.tuning.check(options.input))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (!options.savePhases.empty())
    if (std::error_code error =
            llvm::sys::fs::create_directories(options.savePhases))
      return reportUsageError("tilec", "cannot create '" + options.savePhases +
                                           "': " + error.message());

  auto sourceMgr = std::make_shared<llvm::SourceMgr>();
  if (llvm::Error error = openInput(options.input, *sourceMgr))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (llvm::Error error = checkOutput(options.input, options.output))
    return reportUsageError("tilec", llvm::toString(std::move(error)));

  DialectRegistry registry;
  registerAllDialects(registry);
  ptx::registerEmissionDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // A message points into the source; the op would be printed with its regions.
  context.printOpOnDiagnostic(false);
  if (options.verifyDiagnostics) {
    SourceMgrDiagnosticVerifierHandler handler(*sourceMgr, &context);
    (void)compile(*sourceMgr, context, options, *compileOptions, *goal);
    return failed(handler.verify());
  }
  SourceMgrDiagnosticHandler handler(*sourceMgr, &context);
  if (!options.tuning.file.empty())
    return compileTuned(*sourceMgr, context, options, *compileOptions, *goal);
  if (failed(compile(*sourceMgr, context, options, *compileOptions, *goal)))
    return 1;
  return 0;
}
