//===- CompileMain.cpp - The tilec driver -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of tilec: converts the options to a goal, which Compilation.h
// reaches.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/compile/CompileMain.h"

#include "Check.h"
#include "Compilation.h"
#include "Configurations.h"
#include "Dependencies.h"
#include "tuning/Sizes.h"

#include "tessera/InitAll.h"
#include "tessera/Support/NearestName.h"
#include "tessera/Target/PTX/FindPtxas.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelInput.h"
#include "tessera/Tools/OptionRules.h"
#include "tessera/Tools/RepeatedDiagnostics.h"

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

/// Name in --emit of the signatures of kernels, which need no phase.
static constexpr llvm::StringLiteral kSignatures = "signatures";
/// Name in --emit of the configurations of a kernel.
static constexpr llvm::StringLiteral kConfiguration = "configuration";

using Options = TilecOptions;

/// Checks that the page can be written, and is not the file of another option.
static llvm::Error checkPage(const Options &options, const Goal &goal) {
  if (options.html.empty())
    return llvm::Error::success();
  if (goal.signatures || goal.configuration)
    return llvm::createStringError("--html: --emit=" + options.emit +
                                   " has no phases to show; leave out one of "
                                   "them");
  if (!goal.isForPage && (options.html == options.output.getValue() ||
                          array::isSameFile(options.html, options.output)))
    return llvm::createStringError("--html: '" + options.html +
                                   "' is already the file of -o");
  return checkOutput(options.input, options.html, "--html");
}

/// Checks that the dependencies can be written, and that the output has a name.
static llvm::Error checkDepfile(const Options &options) {
  if (options.depfile.empty())
    return llvm::Error::success();
  if (options.output == "-")
    return llvm::createStringError(
        "--depfile: the output has no name; give one with -o");
  if (options.depfile == options.output.getValue() ||
      array::isSameFile(options.depfile, options.output))
    return llvm::createStringError("--depfile: '" + options.depfile +
                                   "' is already the file of -o");
  return checkOutput(options.input, options.depfile, "--depfile");
}

/// Checks that the timeline has sizes and can be written.
static llvm::Error checkTimeline(const Options &options) {
  if (options.timeline.empty())
    return llvm::Error::success();
  if (options.explain.empty())
    return llvm::createStringError(
        "--timeline shows the time of --explain; give the sizes there");
  if (options.timeline == options.output.getValue() ||
      array::isSameFile(options.timeline, options.output))
    return llvm::createStringError("--timeline: '" + options.timeline +
                                   "' is already the file of -o");
  return checkOutput(options.input, options.timeline, "--timeline");
}

/// Checks whether an argument is the separate value of --explain.
static bool isSizes(StringRef argument) {
  return !argument.starts_with("-") && argument.contains('=');
}

/// Reads the sizes of --explain, or of --shape if it has none, and checks that
/// the phase it needs is run.
static llvm::Error readExplanation(const Options &options, Goal &goal) {
  if (options.explain.empty())
    return llvm::Error::success();
  bool hasSizes = !options.explain.front().empty();
  llvm::Expected<llvm::StringMap<int64_t>> sizes =
      hasSizes || options.tuning.shape.empty()
          ? readSizes("--explain", options.explain)
          : readSizes("--shape", options.tuning.shape);
  if (!sizes)
    return sizes.takeError();
  goal.sizes = std::move(*sizes);
  const Phase &phase = getTimedPhase();
  if (options.emit.empty() && options.output.getNumOccurrences() == 0 &&
      !goal.isForPage) {
    goal.isForExplanation = true;
    goal.output = nullptr;
    goal.last = &phase;
  }
  if (goal.signatures || goal.configuration || goal.last < &phase)
    return llvm::createStringError("--explain needs the phase '" + phase.name +
                                   "', which --emit=" + options.emit +
                                   " leaves out");
  return llvm::Error::success();
}

/// Returns the value of --emit that is spelled similarly, as a question.
static std::string suggestPhase(StringRef word) {
  if (word == "sass")
    return "nvdisasm prints the machine code of --emit=cubin; ";
  SmallVector<StringRef> names = {kSignatures, kConfiguration};
  for (const Phase &phase : getPhases())
    names.push_back(phase.name);
  for (const Output &output : getOutputs())
    names.push_back(output.name);
  return suggestName(word, names);
}

/// Checks that --emit=configuration has what it needs.
static llvm::Error checkConfiguration(const Options &options,
                                      const Goal &goal) {
  if (!goal.configuration)
    return llvm::Error::success();
  if (StringRef(options.input).ends_with(".mlir"))
    return llvm::createStringError(
        "--emit=configuration chooses compile-time parameters, which are gone "
        "from .mlir files");
  if (options.tuning.shape.empty())
    return llvm::createStringError(
        "--emit=configuration chooses for sizes; name them by --shape");
  return llvm::Error::success();
}

/// Checks that --ptx-only does not write the IR of the default, or machine
/// code. Users of --emit may always pass it.
static llvm::Error checkPtxOnly(const Options &options, const Goal &goal) {
  bool isIR = !goal.output && !goal.isForExplanation && options.emit.empty();
  bool isCode = goal.output && goal.output->name == "cubin";
  if (!options.ptxOnly || options.check || (!isIR && !isCode))
    return llvm::Error::success();
  return llvm::createStringError(
      "--ptx-only is for packages; write one by '-o kernel.tpk', or PTX by "
      "'--emit=ptx'");
}

/// Checks that only --check has several files.
static llvm::Error checkFilesOf(const Options &options) {
  if (options.check || options.others.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "there is one output, so there is one input, not also '" +
      options.others.front() + "'; --check takes several");
}

/// Checks that every given option has an effect on the outputs.
static llvm::Error checkEffects(const Options &options, const Goal &goal) {
  const Phase *machine = llvm::find_if(
      getPhases(), [](const Phase &phase) { return phase.level == Level::SM; });
  const VerificationOptions &verification = options.verification;
  bool writesIR = !goal.output && !goal.configuration && !goal.isForExplanation;
  OptionList outputs = {
      options.output,      options.depfile,          options.emit,
      options.html,        options.savePhases,       options.report,
      options.tuning.file, options.tuning.shape,     options.explain,
      options.timeline,    options.locations,        options.lineTables,
      verification.isOn,   options.verifyDiagnostics};
  OptionList ofPhases = {
      options.defines,      options.kernel,    options.tuning.file,
      options.tuning.shape, options.report,    options.remarks,
      options.savePhases,   options.locations, options.lineTables,
      options.checks,       verification.isOn};
  return checkOptionRules(
      {{!options.check, outputs,
        "has no effect: --check writes nothing but diagnostics; leave out one "
        "of them"},
       {!goal.signatures, ofPhases,
        "has no effect on --emit=signatures, which describes all kernels of "
        "the source"},
       {verification.isOn || !options.html.empty(), verification.getDetails(),
        "is for --verify-passes"},
       // Callers give the options of a package for its configuration.
       {goal.last >= machine || goal.configuration,
        {options.report},
        "is of phase '" + machine->name.str() +
            "' and later ones; choose a later output, as by --emit=ptx"},
       {writesIR || !options.savePhases.empty(),
        {options.locations},
        "is for the IR of a phase, as by --emit=sm"},
       {goal.output || goal.configuration,
        {options.lineTables},
        "is for code, as by --emit=ptx; --print-locations is for IR"}});
}

static llvm::Expected<Goal> getGoal(const Options &options) {
  Goal goal;
  goal.last = &getLastCommonPhase();
  goal.isForPage = !options.html.empty() && options.emit.empty() &&
                   options.output.getNumOccurrences() == 0;
  if (options.emit.empty())
    goal.output =
        goal.isForPage ? findOutput("ptx") : findOutputOfFile(options.output);
  else if (options.emit == kSignatures)
    goal.signatures = true;
  else if (options.emit == kConfiguration)
    goal.configuration = true;
  else if (const Phase *phase = findPhase(options.emit))
    goal.last = phase;
  else if (!(goal.output = findOutput(options.emit)))
    return llvm::createStringError("unknown phase '" + options.emit + "'; " +
                                   suggestPhase(options.emit) +
                                   "--list-phases lists them");
  if (goal.output)
    goal.last = &getPhases().back();
  if (llvm::Error error = llvm::joinErrors(checkConfiguration(options, goal),
                                           readExplanation(options, goal)))
    return std::move(error);
  if (llvm::Error error = checkPtxOnly(options, goal))
    return std::move(error);
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
  os << kConfiguration
     << ": the values that are chosen for the sizes of --shape, as JSON\n";
}

static constexpr llvm::StringLiteral kExamples[] = {
    "tilec kernel.tile --ptx-only -o kernel.tpk          # a package of PTX",
    "tilec kernel.tile -o kernel.tpk                     # with machine code; "
    "needs ptxas",
    "tilec kernel.tile -D BM=8 --emit=ptx --report -o kernel.ptx",
    "tilec kernel.tile --emit=sm --remarks -o kernel.mlir",
    "tilec kernel.tile --html page.html                  # all phases in a "
    "browser",
    "tilec --check *.tile                                # errors and "
    "warnings of all kernels",
    "tilec kernel.tile --verify-passes --ptx-only -o kernel.tpk",
};

int tools::compileMain(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  registerAllPasses();
  Options options;
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  hideOtherOptions({&options.compiling, &options.inspecting, &options.writing,
                    &options.verifying},
                   kExamples);
  for (StringRef argument : ArrayRef(argv, argc))
    if (argument == "--list-phases" || argument == "-list-phases") {
      listPhases(llvm::outs());
      return 0;
    } else if (argument == "--find-ptxas" || argument == "-find-ptxas") {
      return printPtxas(options.ptxas);
    }
  SmallVector<char *> arguments(argv, argv + argc);
  // The sizes may be missing: the error names those of each kernel.
  static char explanation[] = "--explain=";
  for (int i = 1; i < argc; ++i)
    if (StringRef name = arguments[i];
        (name == "--explain" || name == "-explain") &&
        (i + 1 == argc || !isSizes(arguments[i + 1])))
      arguments[i] = explanation;
  if (!parseCommandLine(argc, arguments.data(),
                        "Compiles kernels of the Tessera language\n"))
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
  if (llvm::Error error = checkFilesOf(options))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (llvm::Error error = checkEffects(options, *goal))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (options.check)
    return checkFiles(options, *compileOptions, *goal);
  if (llvm::Error error = options.tuning.check(options.input))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (!options.savePhases.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(
            options.savePhases,
            /*IgnoreExisting=*/true, llvm::sys::fs::all_all))
      return reportUsageError("tilec", "cannot create '" + options.savePhases +
                                           "': " + error.message());

  auto sourceMgr = std::make_shared<llvm::SourceMgr>();
  if (llvm::Error error = openInput(options.input, *sourceMgr))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (llvm::Error error = llvm::joinErrors(
          checkOutput(options.input, options.output),
          llvm::joinErrors(checkTimeline(options),
                           llvm::joinErrors(checkPage(options, *goal),
                                            checkDepfile(options)))))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  if (options.emit.empty())
    if (llvm::Error error = checkSuffix(options.output))
      return reportUsageError("tilec", llvm::toString(std::move(error)));

  DialectRegistry registry;
  registerAllDialects(registry);
  ptx::registerEmissionDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // A message points to the source; the op would be printed with its regions.
  context.printOpOnDiagnostic(false);
  if (options.verifyDiagnostics) {
    SourceMgrDiagnosticVerifierHandler handler(*sourceMgr, &context);
    (void)compile(*sourceMgr, context, options, *compileOptions, *goal);
    return failed(handler.verify());
  }
  SourceMgrDiagnosticHandler handler(*sourceMgr, &context);
  RepeatedDiagnostics once(&context, RepeatedDiagnostics::Kinds::Warnings);
  bool isForShapes = options.tuning.hasSeveralShapes() &&
                     (isChoiceWanted(options) || goal->configuration);
  if (options.tuning.file.empty() && !isForShapes &&
      (isChoiceWanted(options) || goal->configuration))
    if (int status = applyConfiguration(*sourceMgr, context, options, *goal,
                                        *compileOptions);
        status || goal->configuration)
      return status;
  int status =
      isForShapes
          ? compileShapes(*sourceMgr, context, options, *compileOptions, *goal)
      : options.tuning.file.empty()
          ? failed(
                compile(*sourceMgr, context, options, *compileOptions, *goal))
          : compileTuned(*sourceMgr, context, options, *compileOptions, *goal);
  if (status != 0 || options.depfile.empty())
    return status;
  if (llvm::Error error =
          writeDependencies(options.depfile, options.output, *sourceMgr))
    return reportUsageError("tilec", llvm::toString(std::move(error)));
  return 0;
}
