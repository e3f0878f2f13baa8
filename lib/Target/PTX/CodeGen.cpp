//===- CodeGen.cpp - From LLVM IR to text -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generation by LLVM, with failures as MLIR diagnostics. LLVM reports
// failures in two ways: by the diagnostic handler of the context, and by ending
// the process. In the second case, the fatal error handler stores the reason
// and leaves the code generator through a crash recovery context, as clang
// does. All threads share one handler. Each thread has its own reason and its
// own recovery point.
//
// Invariant: a module that was left in this way is never used or destroyed.
//
//===----------------------------------------------------------------------===//

#include "CodeGen.h"
#include "SlowPasses.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace tessera;
using namespace tessera::ptx;

static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

/// Makes CodeGenPrepare treat every function as "huge". After each change of
/// control flow, it then visits only the changed blocks of the function again.
/// The code is the same, but visits of all blocks take quadratic time, most of
/// the time of long kernels.
static void limitBlockVisits() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find("cgpp-huge-func");
  if (found != options.end() && found->second->getNumOccurrences() == 0)
    static_cast<llvm::cl::opt<unsigned> *>(found->second)->setValue(0);
}

std::unique_ptr<llvm::TargetMachine>
ptx::createTargetMachine(Location loc, const EmitOptions &options) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    limitBlockVisits();
  });
  llvm::Triple triple(kTriple);
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) {
    emitError(loc) << message;
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.target->name, options.target->features,
      llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
}

void ptx::prepare(llvm::Module &llvmModule, llvm::TargetMachine &machine) {
  llvmModule.setTargetTriple(machine.getTargetTriple());
  llvmModule.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : llvmModule)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallBase>(&instruction))
        if (call->isInlineAsm())
          call->setConvergent();
}

void ptx::cleanUp(llvm::Module &llvmModule, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::ModulePassManager manager;
  // A call inside a wgmma pipeline serialises it.
  manager.addPass(llvm::AlwaysInlinerPass());
  manager.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager cleanup;
  cleanup.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  cleanup.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  cleanup.addPass(llvm::InstCombinePass());
  cleanup.addPass(llvm::SimplifyCFGPass());
  cleanup.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  cleanup.addPass(llvm::ADCEPass());
  manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(cleanup)));
  manager.run(llvmModule, modules);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// Returns where to report a failure in the function `name`.
static Location getFunctionLoc(ModuleOp module, StringRef name) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return function.getLoc();
  return module.getLoc();
}

/// Returns the function of a diagnostic of LLVM, or null.
static const llvm::Function *getFunction(const llvm::DiagnosticInfo &info) {
  if (auto *unsupported = dyn_cast<llvm::DiagnosticInfoUnsupported>(&info))
    return &unsupported->getFunction();
  if (auto *limit = dyn_cast<llvm::DiagnosticInfoResourceLimit>(&info))
    return &limit->getFunction();
  if (auto *generic = dyn_cast<llvm::DiagnosticInfoGeneric>(&info))
    if (generic->getInstruction())
      return generic->getInstruction()->getFunction();
  return nullptr;
}

namespace {
/// Turns diagnostics of LLVM into diagnostics of MLIR.
class DiagnosticForwarder : public llvm::DiagnosticHandler {
public:
  DiagnosticForwarder(ModuleOp module, bool &reported)
      : module(module), reported(reported) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() > llvm::DS_Warning)
      return true; // Remarks and notes.
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    const llvm::Function *function = getFunction(info);
    Location loc = getFunctionLoc(module, function ? function->getName() : "");
    if (info.getSeverity() == llvm::DS_Warning) {
      emitWarning(loc) << "code generation: " << text;
      return true;
    }
    emitError(loc) << "code generation failed: " << text;
    reported = true;
    return true;
  }

private:
  ModuleOp module;
  bool &reported;
};
} // namespace

/// The reason why the code generator of this thread was left is stored here.
static thread_local std::string *fatalReason = nullptr;

/// Stores the reason of a fatal error and leaves the code generator.
static void leaveOnFatalError(void *, const char *text, bool) {
  if (fatalReason)
    *fatalReason = text;
  llvm::sys::Process::Exit(/*RetCode=*/1, /*NoCleanup=*/true);
}

namespace {
/// Handlers of the process, in place while any thread generates code.
class FatalErrorScope {
public:
  explicit FatalErrorScope(std::string &reason) {
    fatalReason = &reason;
    std::lock_guard<std::mutex> lock(mutex);
    if (users++)
      return;
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(leaveOnFatalError);
  }
  ~FatalErrorScope() {
    fatalReason = nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    if (--users)
      return;
    llvm::remove_fatal_error_handler();
    llvm::CrashRecoveryContext::Disable();
  }

private:
  static std::mutex mutex;
  static unsigned users;
};
} // namespace

std::mutex FatalErrorScope::mutex;
unsigned FatalErrorScope::users = 0;

/// Returns the first line of a fatal error without the addresses of nodes. In
/// "Cannot select: 0x55…: bf16 = fcanonicalize 0x55…" they have no meaning.
static std::string describeFatal(StringRef reason) {
  SmallVector<StringRef> words;
  for (StringRef word : llvm::split(reason.split('\n').first.trim(), ' '))
    if (!word.empty() && !word.starts_with("0x"))
      words.push_back(word);
  return words.empty() ? "the code generator crashed" : llvm::join(words, " ");
}

/// Reports a fatal error. The reason of a failed selection is a dump of the
/// graph, whose last line names the function.
static void reportFatal(ModuleOp module, StringRef reason) {
  StringRef function = reason.rsplit("In function: ").second;
  emitError(getFunctionLoc(module, function.trim()))
      << "code generation failed: " << describeFatal(reason);
}

FailureOr<std::string> ptx::generatePTX(ModuleOp module,
                                        llvm::Module &llvmModule,
                                        llvm::TargetMachine &machine,
                                        bool &abandoned) {
  llvm::LLVMContext &context = llvmModule.getContext();
  bool reported = false;
  context.setDiagnosticHandler(
      std::make_unique<DiagnosticForwarder>(module, reported));
  SlowPassGate gate(llvmModule);

  SmallString<0> text;
  std::string reason;
  bool unsupported = false;
  FatalErrorScope scope(reason);
  bool finished = llvm::CrashRecoveryContext().RunSafely([&] {
    llvm::raw_svector_ostream os(text);
    llvm::legacy::PassManager passes;
    unsupported = machine.addPassesToEmitFile(
        passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile);
    if (!unsupported)
      passes.run(llvmModule);
  });
  abandoned = !finished;
  if (unsupported)
    reason = "the target emits no text";
  if ((!finished || unsupported) && !reported)
    reportFatal(module, reason);
  if (!finished || unsupported || reported)
    return failure();
  return std::string(text);
}
