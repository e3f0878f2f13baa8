//===- EmitPTX.cpp - From the LLVM dialect to PTX ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of EmitPTX.h in order. The LLVM context lives as long as one
// emission. If the code generator crashed, the context is abandoned with its
// module.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/PTX/EmitPTX.h"

#include "CodeGen.h"
#include "ConstantOperands.h"
#include "SelectionGuards.h"

#include "tessera/Target/KernelAttributes.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Target/TargetMachine.h"

using namespace tessera;
using namespace tessera::ptx;

void ptx::registerEmissionDialects(DialectRegistry &registry) {
  registry.insert<DLTIDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

FailureOr<const GpuTarget *> ptx::getTarget(ModuleOp module) {
  Attribute attribute = module->getAttr(kTargetNameAttrName);
  if (!attribute)
    return &getDefaultGpuTarget();
  auto name = dyn_cast<StringAttr>(attribute);
  if (const GpuTarget *target = name ? findGpuTarget(name.getValue()) : nullptr)
    return target;
  return emitError(module.getLoc())
         << "expected '" << kTargetNameAttrName
         << "' to be the name of a target, got " << attribute << "; there is "
         << listGpuTargets();
}

/// Performs steps 1 and 2 of EmitPTX.h, in place.
static LogicalResult lower(ModuleOp module, const EmitOptions &options) {
  PassManager manager(module.getContext());
  manager.addPass(createConvertNVVMToLLVMPass());
  if (options.lineTables) {
    LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
    // Only `.loc` lines: with sections of debug information, ptxas would
    // compile the kernel for debugging.
    scopes.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
    manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
  }
  if (failed(manager.run(module)))
    return failure();
  return checkSelectable(module);
}

namespace {
/// A module in LLVM IR, and the objects for its code generation.
struct Emission {
  std::unique_ptr<llvm::LLVMContext> context =
      std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;

  /// Performs all steps of EmitPTX.h before code generation.
  LogicalResult run(ModuleOp source, const EmitOptions &options) {
    OwningOpRef<ModuleOp> lowered = source.clone();
    if (failed(lower(*lowered, options)))
      return failure();
    machine = createTargetMachine(source.getLoc(), options);
    if (!machine)
      return failure();
    module = translateModuleToLLVMIR(*lowered, *context, "kernels");
    if (!module)
      return failure();
    prepare(*module, *machine);
    if (options.cleanUp)
      ptx::cleanUp(*module, *machine);
    hideConstantOperands(*module);
    return success();
  }

  /// Releases all objects without running a destructor.
  void abandon() {
    llvm::BuryPointer(std::move(module));
    llvm::BuryPointer(std::move(machine));
    llvm::BuryPointer(std::move(context));
  }
};
} // namespace

FailureOr<std::string> ptx::emitLLVM(ModuleOp module,
                                     const EmitOptions &options) {
  Emission emission;
  if (failed(emission.run(module, options)))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  emission.module->print(os, nullptr);
  return text;
}

/// Replaces each quote in the names of `.file` by `'`: ptxas has no escape for
/// quotes, so a quote would end the name.
static void replaceQuotesInFileNames(std::string &text) {
  constexpr StringRef directive = "\n\t.file\t";
  for (size_t at = text.find(directive); at != std::string::npos;
       at = text.find(directive, at)) {
    at = text.find('"', at + directive.size());
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
      if (text[at] != '\\')
        continue;
      if (text[at + 1] == '"')
        text.replace(at, 2, "'");
      else
        ++at;
    }
  }
}

/// Appends the buffers in shared memory as comments, which FindingPrinter
/// reads: "// shared memory of matmul: bytes 0 to 16383: tiles of 'a': …".
static void appendSharedBuffers(ModuleOp module, std::string &text) {
  llvm::raw_string_ostream os(text);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (auto buffers =
            function->getAttrOfType<ArrayAttr>(kSharedBuffersAttrName))
      for (Attribute buffer : buffers)
        if (auto contents = dyn_cast<StringAttr>(buffer)) {
          // Names in IR may have line breaks.
          os << "// shared memory of ";
          llvm::printEscapedString(function.getName(), os);
          os << ": ";
          llvm::printEscapedString(contents.getValue(), os);
          os << "\n";
        }
}

FailureOr<std::string> ptx::emitPTX(ModuleOp module, const EmitOptions &options,
                                    TimingScope &timing) {
  Emission emission;
  TimingScope translation = timing.nest("LLVM IR");
  if (failed(emission.run(module, options)))
    return failure();
  translation.stop();
  TimingScope generation = timing.nest("code generation");
  bool abandoned = false;
  FailureOr<std::string> text =
      generatePTX(module, *emission.module, *emission.machine, abandoned);
  if (abandoned)
    emission.abandon();
  if (succeeded(text) && options.lineTables)
    replaceQuotesInFileNames(*text);
  if (succeeded(text))
    appendSharedBuffers(module, *text);
  return text;
}

FailureOr<std::string> ptx::emitPTX(ModuleOp module,
                                    const EmitOptions &options) {
  TimingScope timing;
  return emitPTX(module, options, timing);
}
