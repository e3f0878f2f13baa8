//===- PtxasDiagnostics.cpp - ptxas messages as diagnostics -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts messages to diagnostics, one for each message, and applies the
// limits below which spills and long code are not reported.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/PTX/PtxasDiagnostics.h"

#include "tessera/Runtime/KernelMetadata.h"
#include "tessera/Target/KernelAttributes.h"
#include "tessera/Target/PTX/Ptxas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace tessera;
using namespace tessera::ptx;

/// Number of instructions of a loop that may load or store spilled registers
/// without a warning. Reloading a few scalars may cost less than their
/// registers are worth, for example in gradients of attention.
static constexpr int64_t kTolerableSpillsInLoop = 8;
/// Number of bytes that a thread may spill without a warning: the size of its
/// registers. Epilogues that run once per program spill some hundreds at no
/// measurable cost. A tile that is spilled as a whole costs a factor.
static constexpr int64_t kTolerableSpill = 1020;

/// Number of operations per thread from which code generation and ptxas may
/// take 10 s. Kernels of the examples have at most half as many.
static constexpr int64_t kLongCode = 15000;

bool ptx::spillsInLoop(const KernelResources &kernel) {
  return kernel.spillsInLoops > kTolerableSpillsInLoop;
}

FailureOr<PtxasProgram> ptx::findPtxas(ModuleOp module, StringRef given,
                                       StringRef wayOut) {
  // No place in the source is the reason.
  Location nowhere = UnknownLoc::get(module.getContext());
  llvm::Expected<PtxasProgram> program = findPtxas(given);
  if (!program)
    return emitError(nowhere) << llvm::toString(program.takeError())
                              << (wayOut.empty() ? "" : "; ") << wayOut;
  if (std::string defects = describeDefects(program->version);
      !defects.empty()) {
    InFlightDiagnostic diagnostic = emitWarning(nowhere);
    diagnostic << "'" << program->path << "' may make wrong code for sm_90a: ";
    if (!program->version.empty())
      diagnostic << "it is version " << program->version << ", and ";
    diagnostic << defects;
    diagnostic.attachNote() << getPtxasAdvice();
  }
  return *program;
}

/// Returns the advice about the registers of a kernel, or null.
static StringAttr getRegisterAdvice(ModuleOp module, StringRef kernel) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel);
  return function ? function->getAttrOfType<StringAttr>(kRegisterAdviceAttrName)
                  : StringAttr();
}

/// Adds a note with the name in the source if the compiler named the kernel: it
/// is a variant.
static void noteVariant(InFlightDiagnostic &diagnostic, ModuleOp module,
                        StringRef kernel) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel);
  auto text = function
                  ? function->getAttrOfType<StringAttr>(rt::kMetadataAttrName)
                  : StringAttr();
  if (!text)
    return;
  llvm::Expected<llvm::json::Value> metadata = llvm::json::parse(text);
  if (!metadata)
    return llvm::consumeError(metadata.takeError());
  const llvm::json::Object *object = metadata->getAsObject();
  std::optional<StringRef> name =
      object ? object->getString("name") : std::nullopt;
  if (name && *name != kernel)
    diagnostic.attachNote()
        << "'" << kernel << "' is the variant of kernel '" << *name
        << "' for arguments that its other variants do not take";
}

/// Returns the start of a line of PTX for a message: products list hundreds of
/// registers.
static std::string shorten(StringRef text) {
  constexpr size_t kMost = 100;
  return text.size() <= kMost ? text.str()
                              : (text.take_front(kMost) + "…").str();
}

/// Returns where tiles take most registers of a kernel, or else the location of
/// the kernel.
static Location getPeak(LLVM::LLVMFuncOp kernel) {
  auto peak = kernel->getAttrOfType<LocationAttr>(kRegisterPeakAttrName);
  return peak ? Location(peak) : kernel.getLoc();
}

/// Returns the effect of a hazard on the kernel, and its name.
static StringRef describeEffect(HazardEffect effect) {
  switch (effect) {
  case HazardEffect::None:
  case HazardEffect::Unknown:
    break;
  case HazardEffect::BudgetsIgnored:
    return "its roles do not get the registers that are planned for them "
           "[budgets-ignored]";
  case HazardEffect::Serialised:
    return "its matrix products run one after the other, and nothing overlaps "
           "with them [products-serialised]";
  case HazardEffect::Waits:
    return "its threads wait for matrix products where they need not "
           "[waits-inserted]";
  }
  return "";
}

static void report(ModuleOp module, const PtxasMessage &message,
                   DiagnosticSeverity severity) {
  Location loc = module.getLoc();
  auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(message.kernel);
  if (kernel)
    loc = message.isOfRegisters ? getPeak(kernel) : kernel.getLoc();
  if (const PtxasMessage::Place &place = message.place; place.line)
    loc = FileLineColLoc::get(module.getContext(), place.file, place.line,
                              place.column);
  InFlightDiagnostic diagnostic =
      severity == DiagnosticSeverity::Error ? emitError(loc) : emitWarning(loc);
  StringRef effect = describeEffect(message.effect);
  std::string said = "ptxas: " + message.text;
  if (!message.code.empty())
    said += " (" + message.code + ")";
  if (effect.empty() || !kernel) {
    diagnostic << said;
  } else {
    diagnostic << "kernel '" << kernel.getSymName() << "' is slow: " << effect;
    diagnostic.attachNote() << said;
    noteVariant(diagnostic, module, message.kernel);
  }
  if (message.line)
    diagnostic.attachNote() << "at line " << message.line
                            << " of the PTX text: " << shorten(message.source);
  if (!message.remedy.empty())
    diagnostic.attachNote() << message.remedy;
  if (message.isOfRegisters)
    if (StringAttr advice = getRegisterAdvice(module, message.kernel))
      diagnostic.attachNote() << advice.getValue();
}

void ptx::warnOfPtxas(ModuleOp module, const PtxasReport &ptxas) {
  for (const PtxasMessage &message : ptxas.messages)
    if (message.severity != PtxasMessage::Severity::Info)
      report(module, message, DiagnosticSeverity::Warning);
  for (const KernelResources &kernel : ptxas.kernels) {
    int64_t spilled = std::max(kernel.spillStoreBytes, kernel.spillLoadBytes);
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    bool isInLoop = spillsInLoop(kernel);
    if ((spilled <= kTolerableSpill && !isInLoop) || !function)
      continue;
    InFlightDiagnostic diagnostic = emitWarning(getPeak(function));
    diagnostic << "kernel '" << kernel.name
               << "' has too few registers and is slow for it: each thread "
                  "stores "
               << kernel.spillStoreBytes
               << " bytes of them to memory and loads " << kernel.spillLoadBytes
               << " back";
    if (isInLoop)
      diagnostic << ", in a loop by " << kernel.spillsInLoops
                 << " instructions [spills-in-loop]";
    else
      diagnostic << " [spills]";
    noteVariant(diagnostic, module, kernel.name);
    if (StringAttr advice = getRegisterAdvice(module, kernel.name))
      diagnostic.attachNote() << advice.getValue();
  }
}

bool ptx::warnOfLongCode(ModuleOp module, StringRef kernel) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel);
  if (!function)
    return false;
  int64_t count = 0;
  function.walk([&](Operation *op) {
    count += !isa<LLVM::ConstantOp, LLVM::ExtractValueOp, LLVM::InsertValueOp,
                  LLVM::UndefOp, LLVM::PoisonOp, LLVM::BitcastOp>(op);
  });
  if (count < kLongCode)
    return false;
  InFlightDiagnostic diagnostic = emitWarning(getPeak(function));
  diagnostic << "kernel '" << kernel << "' has about " << count / 1000
             << " 000 operations of each thread, for which ptxas may take 10 s "
                "and more [long-code]";
  diagnostic.attachNote()
      << "smaller tiles, fewer copies of a loop, and a scan along another axis "
         "have fewer";
  noteVariant(diagnostic, module, kernel);
  if (StringAttr advice = getRegisterAdvice(module, kernel))
    diagnostic.attachNote() << advice.getValue();
  return true;
}

void ptx::reportPtxasError(ModuleOp module, llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const PtxasError &ptxasError) {
        for (const PtxasMessage &message : ptxasError.getMessages())
          report(module, message, DiagnosticSeverity::Error);
      },
      [&](const llvm::ErrorInfoBase &other) {
        emitError(module.getLoc()) << other.message();
      });
}
