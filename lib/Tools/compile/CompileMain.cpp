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
#include "TilecOptions.h"
#include "html/HtmlPage.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Frontend/Frontend.h"
#include "tessera/InitAll.h"
#include "tessera/Pipelines/Phases.h"
#include "tessera/Target/PTX/FindPtxas.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"

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

using Options = TilecOptions;

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
  /// Nothing is written but the page of --html.
  bool isForPage = false;
};
} // namespace

static LogicalResult runPhases(ModuleOp module, const Options &options,
                               const Phase &last, const GpuTarget *target,
                               TimingScope &timing, KernelReport &report,
                               HtmlPage *page) {
  PhaseOptions phaseOptions;
  phaseOptions.target = target;
  phaseOptions.remarks = options.remarks || page;
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
    if (options.report || page)
      report.read(module);
    if (page)
      page->addPhase(module, phase);
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

/// Shows PTX in the page, with line tables, of a module that has code already.
static void addPTX(HtmlPage &page, ModuleOp module, PackageOptions options,
                   TimingScope &timing) {
  // What there is to say was said when the code was made.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  options.lineTables = true;
  TimingScope scope = timing.nest("PTX of the page");
  if (FailureOr<std::string> text = emitPTX(module, options, scope);
      succeeded(text))
    page.addPTX(*text);
}

/// Everything that reports through diagnostics, and the output, whose errors
/// are of no place in the source. `page` is null if none is wanted.
static LogicalResult compile(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                             const Options &options,
                             const frontend::CompileOptions &compileOptions,
                             const Goal &goal, HtmlPage *page) {
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
  if (failed(runPhases(*module, options, *goal.last, goal.target, timing,
                       report, page)))
    return failure();
  FailureOr<const GpuTarget *> target = getTarget(*module, goal);
  if (failed(target))
    return failure();
  PackageOptions package = goal.package;
  package.target = *target;
  std::string text;
  if (goal.output) {
    FailureOr<std::string> made = goal.output->make(
        *module, package, timing,
        options.report || (page && goal.output->runsPtxas) ? &ptxas : nullptr);
    if (failed(made))
      return failure();
    text = std::move(*made);
    if (page)
      addPTX(*page, *module, package, timing);
  } else {
    llvm::raw_string_ostream os(text);
    print(*module, options, os);
  }
  if (!goal.isForPage)
    if (llvm::Error error = array::writeFile(options.output, text)) {
      reportUsageError("tilec", llvm::toString(std::move(error)));
      return failure();
    }
  // A file past its last phase has been through none here.
  if (options.report || page)
    report.read(*module);
  if (options.report)
    report.print(**target, ptxas, llvm::errs());
  if (page)
    page->setReport(report.toJSON(**target, ptxas));
  return success();
}

/// Makes what is wanted of the input.
static LogicalResult compile(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                             const Options &options,
                             const frontend::CompileOptions &compileOptions,
                             const Goal &goal) {
  if (goal.signatures)
    return writeSignatures(sourceMgr, context, options);
  if (options.html.empty())
    return compile(sourceMgr, context, options, compileOptions, goal,
                   /*page=*/nullptr);
  HtmlPage page(sourceMgr, &context,
                {goal.last, /*hidesRemarks=*/!options.remarks,
                 options.verification.arguments, options.verification.seed});
  LogicalResult result =
      compile(sourceMgr, context, options, compileOptions, goal, &page);
  // What stops a compilation is seen best beside what came before it.
  if (llvm::Error error = array::writeFile(
          options.html, [&](raw_ostream &os) { page.write(os); })) {
    reportUsageError("tilec", llvm::toString(std::move(error)));
    return failure();
  }
  return result;
}

/// Checks that the page can be written, and is no other file.
static llvm::Error checkPage(const Options &options, const Goal &goal) {
  if (options.html.empty())
    return llvm::Error::success();
  if (goal.signatures)
    return llvm::createStringError(
        "--html: signatures have no phases to show; leave out one of them");
  if (!goal.isForPage && (options.html == options.output.getValue() ||
                          array::isSameFile(options.html, options.output)))
    return llvm::createStringError("--html: '" + options.html +
                                   "' is already the file of -o");
  return checkOutput(options.input, options.html, "--html");
}

static llvm::Expected<Goal> getGoal(const Options &options) {
  Goal goal;
  goal.last = &getLastTilePhase();
  goal.isForPage = !options.html.empty() && options.emit.empty() &&
                   options.output.getNumOccurrences() == 0;
  if (options.emit.empty())
    goal.output =
        goal.isForPage ? findOutput("ptx") : findOutputOfFile(options.output);
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

/// Checks that a number is one that a kernel may have.
static llvm::Error checkNumber(const cl::opt<int64_t> &option, int64_t most) {
  if (option >= 0 && option <= most)
    return llvm::Error::success();
  return llvm::createStringError("--" + option.ArgStr + ": expected 0 to " +
                                 Twine(most) + ", got " + Twine(option));
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
  if (llvm::Error error =
          llvm::joinErrors(checkNumber(options.fetchStages, kMaxFetchStages),
                           checkNumber(options.rasterGroup, kMaxRasterGroup)))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (!options.savePhases.empty())
    if (std::error_code error =
            llvm::sys::fs::create_directories(options.savePhases))
      return reportUsageError("tilec", "cannot create '" + options.savePhases +
                                           "': " + error.message());

  auto sourceMgr = std::make_shared<llvm::SourceMgr>();
  if (llvm::Error error = openInput(options.input, *sourceMgr))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (llvm::Error error =
          llvm::joinErrors(checkOutput(options.input, options.output),
                           checkPage(options, *goal)))
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
  if (failed(compile(*sourceMgr, context, options, *compileOptions, *goal)))
    return 1;
  return 0;
}
