//===- Compilation.cpp - From an input to an output -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FILE -> module -> phases -> the text of the phase that --emit names, or code.
// The input determines the first phase: .tile source starts before the first
// phase, a saved phase after that phase.
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "Configurations.h"
#include "Explanation.h"
#include "KernelReport.h"
#include "html/HtmlPage.h"
#include "tuning/TunedPackage.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Pipelines/CompilePackage.h"
#include "tessera/Target/PTX/PtxasDiagnostics.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/Path.h"

using namespace tessera;
using namespace tessera::tools;
namespace cl = llvm::cl;
using Options = TilecOptions;

/// Largest useful values. Larger ones change nothing, but would overflow sums.
static constexpr int64_t kMaxFetchStages = 64;
static constexpr int64_t kMaxRasterGroup = 65535;
static constexpr int64_t kMaxRegisterLeeway = 64;

/// Checks that a kernel may have this number.
static llvm::Error checkNumber(const cl::opt<int64_t> &option, int64_t most) {
  if (option >= 0 && option <= most)
    return llvm::Error::success();
  return llvm::createStringError("--" + option.ArgStr + ": expected 0 to " +
                                 Twine(most) + ", got " + Twine(option));
}

llvm::Error tools::checkNumbers(const TilecOptions &options) {
  return llvm::joinErrors(
      llvm::joinErrors(checkNumber(options.fetchStages, kMaxFetchStages),
                       checkNumber(options.rasterGroup, kMaxRasterGroup)),
      checkNumber(options.registerLeeway, kMaxRegisterLeeway));
}

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

/// Prints the predicted times, and writes their timelines.
static LogicalResult explainTimes(ModuleOp module, const Options &options,
                                  const Goal &goal, HtmlPage *page) {
  bool isWritten = false;
  auto show = [&](sm::KernelOp kernel, sim::Trace trace) -> LogicalResult {
    if (!options.timeline.empty()) {
      if (isWritten)
        return kernel.emitError("--timeline is for one kernel, and the file "
                                "has several; name it by --kernel");
      isWritten = true;
      if (llvm::Error error = trace.write(options.timeline))
        return emitError(module.getLoc()) << llvm::toString(std::move(error));
    }
    if (page)
      page->addTimeline(kernel, options.explain, std::move(trace));
    return success();
  };
  raw_ostream &os = goal.isForExplanation ? llvm::outs() : llvm::errs();
  if (options.timeline.empty() && !page)
    return explain(module, goal.sizes, os, nullptr);
  if (failed(explain(module, goal.sizes, os, show)))
    return failure();
  if (!options.timeline.empty() && !isWritten)
    return emitError(module.getLoc())
           << "--timeline: the launch has no programs to show";
  return success();
}

/// Runs the phases up to `last`. If the output is machine code, `trial`
/// contains its options: the trial decides which registers the loops of
/// products may take.
static LogicalResult runPhases(ModuleOp module, const Options &options,
                               const Goal &goal, TimingScope &timing,
                               KernelReport &report, HtmlPage *page,
                               PackageOptions *trial) {
  PhaseOptions phaseOptions = options.getPhaseOptions(goal.target);
  phaseOptions.remarks |= page != nullptr;
  PassVerification verification(options.verification);
  PhaseHooks hooks;
  hooks.prepare = [&](PassManager &manager) {
    manager.enableTiming(timing);
    if (options.verification.isOn)
      verification.watch(manager);
    return applyPassManagerCLOptions(manager);
  };
  hooks.begins = [&](ModuleOp module, const Phase &phase) {
    if (!trial || &phase != &getSchedulePhase())
      return success();
    TimingScope scope = timing.nest("trial");
    chooseSchedules(module, phaseOptions, *trial);
    return success();
  };
  hooks.completed = [&](ModuleOp module, const Phase &phase) {
    if (options.report || page)
      report.read(module);
    if (page)
      page->addPhase(module, phase);
    if (!options.explain.empty() && &phase == &getTimedPhase() &&
        failed(explainTimes(module, options, goal, page)))
      return failure();
    return savePhase(module, options, phase);
  };
  if (failed(runPhases(module, *goal.last, phaseOptions, hooks)))
    return failure();
  return options.verification.isOn ? verification.finish(llvm::errs())
                                   : success();
}

/// Returns the requested target, or the target that `module` names.
static FailureOr<const GpuTarget *> getTarget(ModuleOp module,
                                              const Goal &goal) {
  if (goal.target)
    return goal.target;
  if (const GpuTarget *target = sm::findTarget(module))
    return target;
  return ptx::getTarget(module);
}

static LogicalResult writeOutput(const Options &options, StringRef text) {
  llvm::Error error = array::writeFile(options.output, text);
  if (!error)
    return success();
  reportUsageError("tilec", llvm::toString(std::move(error)));
  return failure();
}

/// Writes the signatures of the kernels of a .tile file, for callers.
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
  return writeOutput(options, *text);
}

/// Shows PTX in the page, with line tables, of a module that was already
/// compiled to code.
static void addPTX(HtmlPage &page, ModuleOp module, PackageOptions options,
                   TimingScope &timing) {
  // The messages were already reported when the code was generated.
  ScopedDiagnosticHandler quiet(module.getContext(),
                                [](Diagnostic &) { return success(); });
  options.lineTables = true;
  TimingScope scope = timing.nest("PTX of the page");
  if (FailureOr<std::string> text = emitPTX(module, options, scope);
      succeeded(text))
    page.addPTX(*text);
}

/// Adds the values that a row of --tuned chooses to those of -D, and to the
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

/// Checks whether the output is PTX with a report of ptxas.
static bool isReportedPTX(const Goal &goal, const Options &options,
                          const PackageOptions &package) {
  return goal.output && goal.output->name == "ptx" && options.report &&
         !package.ptxOnly;
}

/// Returns why a report of PTX, which itself needs no ptxas, goes without;
/// empty if it does not. The user may insist on a ptxas by `--ptxas`.
static std::string findNoPtxas(const Goal &goal, const Options &options,
                               const PackageOptions &package) {
  if (!isReportedPTX(goal, options, package) || !package.ptxas.empty())
    return "";
  llvm::Expected<ptx::PtxasProgram> found = ptx::findPtxas();
  return found ? "" : llvm::toString(found.takeError());
}

/// Finds ptxas if the output needs it, before phases that may take minutes.
static LogicalResult findPtxas(ModuleOp module, const Goal &goal,
                               const Options &options,
                               PackageOptions &package) {
  StringRef output = goal.output ? goal.output->name : "";
  bool isNeeded = output == "cubin" ||
                  (output == "package" && !package.ptxOnly) ||
                  isReportedPTX(goal, options, package);
  if (!isNeeded || package.foundPtxas)
    return success();
  FailureOr<ptx::PtxasProgram> program = ptx::findPtxas(
      module, package.ptxas,
      output == "package" ? "'--ptx-only' makes a package without machine "
                            "code, whose PTX the driver compiles"
                          : "");
  if (failed(program))
    return failure();
  package.foundPtxas = *program;
  return success();
}

/// Returns `package` if trials decide how loops take registers, and null if the
/// user does, or if there is no machine code.
static PackageOptions *getTrial(const Goal &goal, const Options &options,
                                PackageOptions &package) {
  bool isWanted = goal.output && goal.output->runsPtxas && !package.ptxOnly &&
                  !options.noTrial &&
                  options.registerLeeway.getNumOccurrences() == 0;
  return isWanted ? &package : nullptr;
}

/// Runs everything that reports diagnostics, and writes the output, whose
/// errors have no location in the source. `page` is null if no page is
/// requested.
static LogicalResult compileAll(llvm::SourceMgr &sourceMgr,
                                MLIRContext &context, const Options &options,
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
  if (options.report || page)
    report.read(*module);
  PackageOptions package = goal.package;
  std::string missing = findNoPtxas(goal, options, package);
  if ((missing.empty() && failed(findPtxas(*module, goal, options, package))) ||
      failed(runPhases(*module, options, goal, timing, report, page,
                       getTrial(goal, options, package))))
    return failure();
  FailureOr<const GpuTarget *> target = getTarget(*module, goal);
  if (failed(target))
    return failure();
  package.target = *target;
  std::string text;
  if (goal.output) {
    bool reports =
        goal.output->runsPtxas
            ? options.report || page
            : isReportedPTX(goal, options, package) && missing.empty();
    FailureOr<std::string> made =
        goal.output->make(*module, package, timing, reports ? &ptxas : nullptr);
    if (failed(made))
      return failure();
    text = std::move(*made);
    if (page)
      addPTX(*page, *module, package, timing);
  } else {
    llvm::raw_string_ostream os(text);
    print(*module, options, os);
  }
  if (!goal.isForPage && !goal.isForExplanation &&
      failed(writeOutput(options, text)))
    return failure();
  // Kernels that have completed all phases are read here.
  if (options.report || page)
    report.read(*module);
  if (options.report)
    report.print(**target, ptxas, llvm::errs());
  if (!missing.empty())
    llvm::errs() << "ptxas: not found, so registers at entry and spills are "
                    "unknown: "
                 << missing << "\n";
  if (page)
    page->setReport(report.toJSON(**target, ptxas));
  return success();
}

LogicalResult tools::compile(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                             const Options &options,
                             const frontend::CompileOptions &compileOptions,
                             const Goal &goal) {
  if (goal.signatures)
    return writeSignatures(sourceMgr, context, options);
  if (options.html.empty())
    return compileAll(sourceMgr, context, options, compileOptions, goal,
                      /*page=*/nullptr);
  HtmlPage page(sourceMgr, &context,
                {goal.last, /*hidesRemarks=*/!options.remarks,
                 options.verification.arguments, options.verification.seed});
  LogicalResult result =
      compileAll(sourceMgr, context, options, compileOptions, goal, &page);
  // The page is written even after an error: it shows the steps before the
  // error.
  if (llvm::Error error = array::writeFile(
          options.html, [&](raw_ostream &os) { page.write(os); })) {
    reportUsageError("tilec", llvm::toString(std::move(error)));
    return failure();
  }
  return result;
}

/// Builds a package of all rows. Each row is compiled separately.
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
    if (!module || failed(findPtxas(*module, goal, options, package)) ||
        failed(runPhases(*module, options, goal, timing, report,
                         /*page=*/nullptr, getTrial(goal, options, package))))
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
  return writeOutput(options, *text);
}

int tools::compileShapes(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                         Options &options,
                         frontend::CompileOptions &compileOptions,
                         const Goal &goal) {
  std::vector<TunedRow> rows;
  if (int status = chooseForShapes(sourceMgr, context, options, goal,
                                   compileOptions, rows))
    return status;
  if (rows.size() > 1)
    return failed(
        compileRows(sourceMgr, context, options, compileOptions, goal, rows));
  llvm::append_range(compileOptions.defines, rows.front().choice);
  return failed(compile(sourceMgr, context, options, compileOptions, goal));
}

int tools::compileTuned(llvm::SourceMgr &sourceMgr, MLIRContext &context,
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
  bool isForOne =
      options.report || !options.savePhases.empty() || !options.html.empty();
  if (rows->size() > 1 && isForOne)
    return reportUsageError("tilec",
                            "--tuned without --shape makes a variant for each "
                            "row; --report, --save-phases and --html are "
                            "for one, which --shape names");
  if (rows->size() > 1)
    return failed(
        compileRows(sourceMgr, context, options, compileOptions, goal, *rows));
  if (llvm::Error error =
          applyChoice(rows->front().choice, options, compileOptions))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  // A row fixes the whole configuration.
  bool isOpen = rows->front().choice.empty() && isChoiceWanted(options);
  if (isOpen || goal.configuration)
    if (int status = applyConfiguration(sourceMgr, context, options, goal,
                                        compileOptions);
        status || goal.configuration)
      return status;
  return failed(compile(sourceMgr, context, options, compileOptions, goal));
}
