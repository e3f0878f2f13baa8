//===- ConvertSMToNVVM.cpp - From sm to llvm and nvvm -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass convert-sm-to-nvvm has three steps for each kernel. A function with
// the arguments of its signature takes over the body (1). Tiles become
// registers (2). Structured control flow and scalars become llvm by the
// patterns of MLIR (3).
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "RegisterNeeds.h"
#include "tessera/Conversion/SMToNVVM/Passes.h"
#include "tessera/Dialect/SM/IR/BufferText.h"
#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Target/KernelAttributes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace tessera::sm {
#define GEN_PASS_DEF_CONVERTSMTONVVMPASS
#include "tessera/Conversion/SMToNVVM/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// 1. The function
//===----------------------------------------------------------------------===//

static void setLaunchAttributes(KernelOp kernel, LLVM::LLVMFuncOp function,
                                const rt::KernelMetadata &metadata) {
  MLIRContext *context = kernel.getContext();
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    UnitAttr::get(context));
  function->setAttr(
      NVVM::NVVMDialect::getMaxntidAttrName(),
      DenseI32ArrayAttr::get(context, static_cast<int32_t>(metadata.threads)));
  // Roles redistribute the registers of their block, so their kernel gets a
  // bound even for one block.
  auto hasBudget = [](RoleOp role) { return role.getRegisters().has_value(); };
  // Several blocks hide latency. In a kernel without roles, registers are
  // bounded if accumulators leave enough of them.
  int64_t blocks = getBlocksToBound(kernel);
  if (llvm::any_of(kernel.getBody().getOps<RoleOp>(), hasBudget) || blocks > 1)
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      IntegerAttr::get(IntegerType::get(context, 32), blocks));
  if (metadata.cluster[0] > 1)
    function->setAttr(
        NVVM::NVVMDialect::getClusterDimAttrName(),
        DenseI32ArrayAttr::get(
            context, {static_cast<int32_t>(metadata.cluster[0]), 1, 1}));
  std::string text;
  llvm::raw_string_ostream(text) << rt::toJSON(metadata);
  function->setAttr(rt::kMetadataAttrName, StringAttr::get(context, text));
}

/// Describes the buffers in shared memory for findings of an executor of PTX.
static void setSharedBuffers(KernelOp kernel, LLVM::LLVMFuncOp function) {
  SmallVector<Attribute> buffers;
  kernel.walk([&](SharedMemoryOpInterface memory) {
    std::optional<int64_t> address = memory.getSharedAddress();
    int64_t bytes = memory.getSharedBytes();
    if (address && bytes)
      buffers.push_back(StringAttr::get(kernel.getContext(),
                                        "bytes " + Twine(*address) + " to " +
                                            Twine(*address + bytes - 1) + ": " +
                                            describeContents(kernel, memory)));
  });
  if (!buffers.empty())
    function->setAttr(kSharedBuffersAttrName,
                      ArrayAttr::get(kernel.getContext(), buffers));
}

/// Marks a tensor map as passed by value, and read at its place in the
/// parameters.
static void setTensorMapAttributes(LLVM::LLVMFuncOp function, unsigned index) {
  MLIRContext *context = function.getContext();
  auto map = LLVM::LLVMArrayType::get(IntegerType::get(context, 8), 128);
  function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(map));
  function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                      IntegerAttr::get(IntegerType::get(context, 64), 64));
  function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                      UnitAttr::get(context));
}

static LLVM::LLVMFuncOp createFunction(KernelOp kernel,
                                       const KernelSignature &signature) {
  OpBuilder builder(kernel);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(kernel.getContext()), signature.getTypes());
  auto function = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(),
                                           signature.getMetadata().entry, type);
  function.addEntryBlock(builder);
  setLaunchAttributes(kernel, function, signature.getMetadata());
  setSharedBuffers(kernel, function);
  for (auto [index, info] : llvm::enumerate(signature.getMetadata().arguments))
    if (info.kind == rt::ArgumentInfo::Kind::TensorMap)
      setTensorMapAttributes(function, index);
  return function;
}

/// Moves the body of the kernel to the end of the function. Tensors remain as
/// values without a definition, which the context knows.
static void moveBody(KernelOp kernel, LoweringContext &context) {
  Block &entry = context.getFunction().getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&entry);
  Location loc = kernel.getLoc();
  for (auto [index, argument] : llvm::enumerate(kernel.getParams())) {
    Value value;
    if (isa<tile::GlobalType>(argument.getType())) {
      value = UnrealizedConversionCastOp::create(
                  builder, loc, argument.getType(), ValueRange())
                  .getResult(0);
      context.setParameter(value, index);
    } else {
      value = context.getScalar(builder, loc, index, argument.getType());
    }
    argument.replaceAllUsesWith(value);
  }
  Block &body = kernel.getBody().front();
  kernel.walk([&](tile::SizeOp op) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    Value size;
    if (auto constant = op.getSize().getConstantValue())
      size = arith::ConstantIndexOp::create(builder, op.getLoc(), *constant);
    else
      size = arith::IndexCastOp::create(builder, op.getLoc(), op.getType(),
                                        context.getSize(op.getSize()));
    op.replaceAllUsesWith(size);
    op.erase();
  });
  body.getTerminator()->erase();
  entry.getOperations().splice(entry.end(), body.getOperations());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  kernel.erase();
}

//===----------------------------------------------------------------------===//
// 2. Tiles to registers
//===----------------------------------------------------------------------===//

static LogicalResult convertTiles(const LoweringContext &context) {
  MLIRContext *mlir = context.getFunction().getContext();
  RegisterTypeConverter converter;
  RewritePatternSet patterns(mlir);
  ConversionTarget target(*mlir);
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                         cf::ControlFlowDialect>();
  target.addLegalOp<UnrealizedConversionCastOp>();
  target
      .addIllegalDialect<SMDialect, math::MathDialect, tensor::TensorDialect>();
  target.addDynamicallyLegalDialect<arith::ArithDialect>(
      [&](Operation *op) { return converter.isLegal(op); });
  // The remainder of LLVM is not exact on this target, for scalars either.
  target.addIllegalOp<arith::RemFOp>();
  target.addIllegalOp<tile::AsmOp>();
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  populateKernelPatterns(context, converter, patterns);
  populateElementwisePatterns(converter, patterns);
  populateShapePatterns(context, converter, patterns);
  populateGlobalAccessPatterns(context, converter, patterns);
  populateExchangePatterns(context, converter, patterns);
  populateMachinePatterns(context, converter, patterns);
  return applyPartialConversion(context.getFunction(), target,
                                std::move(patterns));
}

//===----------------------------------------------------------------------===//
// 3. Scalars and control flow
//===----------------------------------------------------------------------===//

static LogicalResult convertControlFlow(LLVM::LLVMFuncOp function) {
  RewritePatternSet patterns(function.getContext());
  ConversionTarget target(*function.getContext());
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  mlir::populateSCFToControlFlowConversionPatterns(patterns);
  return applyPartialConversion(function, target, std::move(patterns));
}

static LogicalResult convertScalars(LLVM::LLVMFuncOp function) {
  MLIRContext *context = function.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(32);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addLegalOp<UnrealizedConversionCastOp>();
  populateFloorDivisionPattern(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  return applyPartialConversion(function, target, std::move(patterns));
}

/// Erases the unused values that represented tensors, which are now arguments.
static void eraseDeadCasts(LLVM::LLVMFuncOp function) {
  function.walk([](UnrealizedConversionCastOp cast) {
    if (cast.use_empty())
      cast.erase();
  });
}

/// Removes casts between the results of two phases, which cancel. A cast that
/// remains is an operation that no phase converts.
static LogicalResult reconcileCasts(LLVM::LLVMFuncOp function) {
  SmallVector<UnrealizedConversionCastOp> casts;
  function.walk(
      [&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts);
  WalkResult result = function.walk([](UnrealizedConversionCastOp cast) {
    cast.emitError() << "cannot be lowered: a value of type "
                     << cast.getOperand(0).getType() << " is used as "
                     << cast.getResult(0).getType();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static LogicalResult convert(KernelOp kernel) {
  if (kernel.getForm() != Form::Fenced)
    return kernel.emitOpError()
           << "is in the " << stringifyForm(kernel.getForm())
           << " form, expected the fenced one, of sm-place-fences";
  if (failed(checkProductRegisters(kernel)))
    return failure();
  FailureOr<KernelSignature> signature = KernelSignature::get(kernel);
  if (failed(signature))
    return failure();
  LLVM::LLVMFuncOp function = createFunction(kernel, *signature);
  describeRegisterNeeds(kernel, function);
  LoweringContext context(kernel, function, *signature);
  moveBody(kernel, context);
  if (failed(lowerRoles(context)))
    return failure();
  emitGridDependency(context);
  if (failed(endLoopsEarly(function)) || failed(convertTiles(context)))
    return failure();
  eraseDeadCasts(function);
  return success(succeeded(convertControlFlow(function)) &&
                 succeeded(convertScalars(function)) &&
                 succeeded(reconcileCasts(function)));
}

/// Replaces the attribute of the dialect by one that does not require the
/// dialect.
static void nameTarget(ModuleOp module) {
  const GpuTarget *target = findTarget(module);
  if (!target)
    return;
  module->removeAttr(kTargetAttrName);
  module->setAttr(kTargetNameAttrName,
                  StringAttr::get(module.getContext(), target->name));
}

namespace {
class ConvertSMToNVVM
    : public sm::impl::ConvertSMToNVVMPassBase<ConvertSMToNVVM> {
  void runOnOperation() override {
    auto kernels = llvm::to_vector(getOperation().getOps<KernelOp>());
    for (KernelOp kernel : kernels)
      if (failed(convert(kernel)))
        return signalPassFailure();
    nameTarget(getOperation());
  }
};
} // namespace
