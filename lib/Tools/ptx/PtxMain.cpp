//===- PtxMain.cpp - The tile-ptx tool --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FILE -> module -> LLVM IR | PTX | machine code. Messages of ptxas about a
// kernel are reported at the kernel.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/ptx/PtxMain.h"

#include "tessera/Target/PTX/EmitPTX.h"
#include "tessera/Target/PTX/Ptxas.h"
#include "tessera/Target/PTX/PtxasDiagnostics.h"
#include "tessera/Tools/DiagnosticExcerpt.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/OptionRules.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using namespace tessera::ptx;
using namespace tessera::tools;
namespace cl = llvm::cl;

namespace {
enum class Emit { LLVM, PTX, Cubin };

struct Options {
  cl::OptionCategory category{"Options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.mlir"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Output file (- is stdout)"),
                              cl::value_desc("FILE"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<Emit> emit{
      "emit", cl::desc("Output to write (default: ptx)"), cl::init(Emit::PTX),
      cl::values(clEnumValN(Emit::LLVM, "llvm", "LLVM IR after the cleanup"),
                 clEnumValN(Emit::PTX, "ptx", "PTX"),
                 clEnumValN(Emit::Cubin, "cubin", "Machine code, by ptxas")),
      cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("GPU to compile for"),
                              cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<bool> report{"report",
                       cl::desc("Print the resources of each kernel; "
                                "with --emit=cubin"),
                       cl::cat(category)};
  cl::opt<bool> lineTables{"line-tables",
                           cl::desc("Emit .loc lines from file locations"),
                           cl::cat(category)};
  cl::opt<bool> noCleanup{"no-cleanup",
                          cl::desc("Omit the cleanup of the LLVM IR"),
                          cl::cat(category)};
  cl::opt<bool> allowHazards{"allow-hazards",
                             cl::desc("Accept code that ptxas reports as slow"),
                             cl::cat(category)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("The ptxas to run"),
                             cl::value_desc("PATH"), cl::cat(category)};
  cl::opt<unsigned> timeLimit{
      "ptxas-time-limit", cl::desc("Seconds that ptxas may take (0: no limit)"),
      cl::init(120), cl::cat(category)};
  cl::opt<bool> findPtxas{
      "find-ptxas",
      cl::desc("Print the path of ptxas and its version, and exit"),
      cl::cat(category)};
  cl::opt<bool> verifyDiagnostics{
      "verify-diagnostics",
      cl::desc("Check diagnostics against expected-* comments of the input"),
      cl::cat(category)};
};
} // namespace

static void printReport(const PtxasReport &report, raw_ostream &os) {
  for (const KernelResources &kernel : report.kernels)
    os << llvm::formatv(
        "{0}: {1} registers, {2} bytes stack, {3} + {4} bytes spilled "
        "(stores + loads), {5} bytes static shared memory, {6} bytes "
        "constants, {7} barriers\n",
        kernel.name, kernel.registers, kernel.stackBytes,
        kernel.spillStoreBytes, kernel.spillLoadBytes, kernel.sharedBytes,
        kernel.constantBytes, kernel.barriers);
}

/// Writes the output, whose errors have no location in the source.
static LogicalResult write(const Options &options, StringRef text) {
  if (llvm::Error error = array::writeFile(options.output, text)) {
    reportUsageError("tile-ptx", llvm::toString(std::move(error)));
    return failure();
  }
  return success();
}

/// Runs everything that reports diagnostics. Generates code for `wanted`, or
/// for the target that the module names.
static LogicalResult compile(llvm::SourceMgr &sourceMgr, MLIRContext &context,
                             const Options &options, const GpuTarget *wanted) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sourceMgr, &context);
  if (!module)
    return failure();
  FailureOr<const GpuTarget *> target = wanted;
  if (!wanted)
    target = ptx::getTarget(*module);
  if (failed(target))
    return failure();
  FailureOr<PtxasProgram> program = PtxasProgram();
  if (options.emit == Emit::Cubin)
    program = ptx::findPtxas(*module, options.ptxas);
  if (failed(program))
    return failure();
  EmitOptions emitOptions;
  emitOptions.target = *target;
  emitOptions.cleanUp = !options.noCleanup;
  emitOptions.lineTables = options.lineTables;
  FailureOr<std::string> text = options.emit == Emit::LLVM
                                    ? emitLLVM(*module, emitOptions)
                                    : emitPTX(*module, emitOptions);
  if (failed(text))
    return failure();
  if (options.emit != Emit::Cubin)
    return write(options, *text);
  PtxasOptions ptxasOptions;
  ptxasOptions.program = program->path;
  ptxasOptions.target = *target;
  ptxasOptions.lineTables = options.lineTables;
  if (options.allowHazards)
    ptxasOptions.hazards = HazardPolicy::AllowAll;
  ptxasOptions.timeLimit = options.timeLimit;
  llvm::Expected<Cubin> cubin = assemble(*text, ptxasOptions);
  if (!cubin) {
    reportPtxasError(*module, cubin.takeError());
    return failure();
  }
  warnOfPtxas(*module, cubin->report);
  if (options.report)
    printReport(cubin->report, llvm::errs());
  return write(options, cubin->bytes);
}

static constexpr llvm::StringLiteral kExamples[] = {
    "tilec kernel.tile --emit=nvvm -o kernel.mlir",
    "tile-ptx kernel.mlir -o kernel.ptx",
    "tile-ptx --find-ptxas                               # needs ptxas",
};

int tools::ptxMain(int argc, char **argv) {
  llvm::InitLLVM initLLVM(argc, argv);
  Options options;
  hideOtherOptions({&options.category}, kExamples);
  if (!parseCommandLine(argc, argv,
                        "Translates llvm and nvvm dialects for the GPU\n"))
    return kUsageError;
  if (options.findPtxas) {
    llvm::Expected<PtxasProgram> program = findPtxas(options.ptxas);
    if (!program)
      return reportUsageError("tile-ptx", llvm::toString(program.takeError()));
    llvm::outs() << program->path << "\n" << program->version << "\n";
    return 0;
  }
  if (llvm::Error error = checkOptionRules({{options.emit == Emit::Cubin,
                                             {options.report},
                                             "is of ptxas; add "
                                             "--emit=cubin"}}))
    return reportUsageError("tile-ptx", llvm::toString(std::move(error)));
  const GpuTarget *target =
      options.target.empty() ? nullptr : findGpuTarget(options.target);
  if (!target && !options.target.empty())
    return reportUsageError("tile-ptx", "unknown target '" + options.target +
                                            "'; there is " + listGpuTargets());
  if (StringRef(options.input).ends_with(".tile"))
    return reportUsageError("tile-ptx",
                            "'" + options.input + "' is a source; 'tilec " +
                                options.input + " --emit=ptx' compiles it");
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(options.input, &message);
  if (!input)
    return reportUsageError("tile-ptx", message);
  if (llvm::Error error = checkOutput(options.input, options.output))
    return reportUsageError("tile-ptx", llvm::toString(std::move(error)));

  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(input), SMLoc());
  printExcerpts(sourceMgr);
  DialectRegistry registry;
  registerEmissionDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (options.verifyDiagnostics) {
    context.printOpOnDiagnostic(false);
    SourceMgrDiagnosticVerifierHandler handler(sourceMgr, &context);
    (void)compile(sourceMgr, context, options, target);
    return failed(handler.verify());
  }
  SourceMgrDiagnosticHandler handler(sourceMgr, &context);
  if (failed(compile(sourceMgr, context, options, target)))
    return 1;
  return 0;
}
