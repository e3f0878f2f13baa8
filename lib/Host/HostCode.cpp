//===- HostCode.cpp - Machine code of this machine --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps are those of upstream: scf to branches, all dialects to llvm in one
// conversion, LLVM IR, the O2 pipeline, and ORC's JIT. The code is vectors
// already, so LLVM's vectorizers are off, which keeps compile times short.
//
// Code may call only the functions of the table below. The JIT thus needs no
// symbols of the process, which a static program does not export.
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"
#include "Meeting.h"

#include "tessera/Conversion/TileToHost/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cmath>
#include <cstring>
#include <mutex>

using namespace tessera;
using namespace tessera::host;

llvm::Expected<HostMachine> host::detectMachine() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  std::string features = builder->getFeatures().getString();
  auto has = [&](StringRef feature) {
    return StringRef(features).contains(("+" + feature).str());
  };
  bool isX86 = builder->getTargetTriple().isX86();
  int64_t lanes = !isX86 || !has("avx") ? 4 : has("avx512f") ? 16 : 8;
  return HostMachine{std::move(*builder), lanes};
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static LogicalResult lowerToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  PassManager manager(context);
  manager.addPass(createCSEPass());
  manager.addPass(createSCFToControlFlowPass());
  if (failed(manager.run(module)))
    return failure();
  LowerToLLVMOptions options(context);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/false);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  tuning.LoopInterleaving = tuning.LoopUnrolling = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// Waits at a barrier of the grid. A program that nobody waits for has failed.
static void meetGrid(uint64_t *state) {
  auto *member = reinterpret_cast<Meeting::Member *>(state[kMemberWord]);
  if (!member->meeting->meet(*member))
    state[kFailedWord] = 1;
}

/// Defines the functions that code may call: the functions of `math` that
/// tile-to-host leaves to the C library, and functions that LLVM calls.
static llvm::Error defineFunctions(llvm::orc::LLJIT &jit) {
  using Unary = double (*)(double);
  using Binary = double (*)(double, double);
  using UnaryFloat = float (*)(float);
  llvm::orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  struct {
    StringRef name;
    Unary function;
  } functions[] = {{"math.expm1", std::expm1}, {"math.log", std::log},
                   {"math.log2", std::log2},   {"math.log10", std::log10},
                   {"math.log1p", std::log1p}, {"math.cbrt", std::cbrt},
                   {"math.erf", std::erf},     {"math.erfc", std::erfc},
                   {"math.sin", std::sin},     {"math.cos", std::cos},
                   {"math.tan", std::tan},     {"math.sinh", std::sinh},
                   {"math.cosh", std::cosh},   {"math.tanh", std::tanh},
                   {"math.asin", std::asin},   {"math.acos", std::acos},
                   {"math.atan", std::atan},   {"math.asinh", std::asinh},
                   {"math.acosh", std::acosh}, {"math.atanh", std::atanh}};
  for (auto &[name, function] : functions)
    add(name, function);
  add("math.powf", static_cast<Binary>(std::pow));
  add("math.atan2", static_cast<Binary>(std::atan2));
  add("memcpy", &std::memcpy);
  add("memmove", &std::memmove);
  add("memset", &std::memset);
  struct {
    StringRef name;
    UnaryFloat function;
  } roundings[] = {{"ceilf", std::ceil},
                   {"floorf", std::floor},
                   {"truncf", std::trunc},
                   {"rintf", std::rint},
                   {"roundevenf", std::nearbyint}};
  for (auto &[name, function] : roundings)
    add(name, function);
  add("fmodf", static_cast<float (*)(float, float)>(std::fmod));
  add("fmaf", static_cast<float (*)(float, float, float)>(std::fma));
  add("fma", static_cast<double (*)(double, double, double)>(std::fma));
  add(kMeetGridName, &meetGrid);
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

llvm::Expected<HostCode> host::compile(ModuleOp module, StringRef name,
                                       HostMachine machine) {
  auto fail = [&](StringRef why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
  };
  MLIRContext *context = module.getContext();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
  if (failed(lowerToLLVM(module)))
    return fail("the lowering to the llvm dialect failed");
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, *llvmContext, name);
  if (!code)
    return fail("the translation to LLVM IR failed");

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> target =
      machine.builder.createTargetMachine();
  if (!target)
    return target.takeError();
  code->setDataLayout((*target)->createDataLayout());
  code->setTargetTriple((*target)->getTargetTriple());
  // Kernels have no names of the C library.
  llvm::Function *program = code->getFunction(name);
  program->setName("tessera.program");
  // LLVM would be slow if the parts of a large kernel were one function again.
  for (llvm::Function &function : *code)
    if (&function != program && !function.isDeclaration()) {
      function.setLinkage(llvm::Function::InternalLinkage);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
  optimize(*code, **target);

  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      llvm::orc::LLJITBuilder()
          .setJITTargetMachineBuilder(machine.builder)
          .setLinkProcessSymbolsByDefault(false)
          .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
          .create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = defineFunctions(**jit))
    return std::move(error);
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(code), std::move(llvmContext))))
    return std::move(error);
  llvm::Expected<llvm::orc::ExecutorAddr> address =
      (*jit)->lookup("tessera.program");
  if (!address)
    return address.takeError();
  HostCode result;
  result.program = address->toPtr<HostCode::Program *>();
  result.jit = std::move(*jit);
  return result;
}
