//===- Patterns.h - The parts of the lowering -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Phase 1 of the conversion turns tiles into registers and sm operations into
// nvvm, llvm, and scalar arith and scf. Each part adds its patterns here.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_PATTERNS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_PATTERNS_H

#include "LoweringContext.h"
#include "RegisterTypeConverter.h"

namespace tessera::sm {

/// A pattern with access to its kernel.
template <typename OpTy>
class KernelPattern : public OpConversionPattern<OpTy> {
public:
  KernelPattern(const TypeConverter &converter, const LoweringContext &context)
      : OpConversionPattern<OpTy>(converter,
                                  context.getFunction().getContext()),
        context(context) {}

protected:
  const LoweringContext &context;
};

/// Replaces `op` by the registers of its only result, one value for each
/// register.
void replaceByRegisters(ConversionPatternRewriter &rewriter, Operation *op,
                        ValueRange registers);

void populateKernelPatterns(const LoweringContext &context,
                            const RegisterTypeConverter &converter,
                            RewritePatternSet &patterns);
void populateElementwisePatterns(const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns);
void populateShapePatterns(const LoweringContext &context,
                           const RegisterTypeConverter &converter,
                           RewritePatternSet &patterns);
void populateGlobalAccessPatterns(const LoweringContext &context,
                                  const RegisterTypeConverter &converter,
                                  RewritePatternSet &patterns);
void populateExchangePatterns(const LoweringContext &context,
                              const RegisterTypeConverter &converter,
                              RewritePatternSet &patterns);
/// Adds patterns for shared memory, products, barriers and tensor copies.
void populateMachinePatterns(const LoweringContext &context,
                             const RegisterTypeConverter &converter,
                             RewritePatternSet &patterns);

/// Adds the pattern for scalar divisions by numbers that are unknown at compile
/// time.
void populateFloorDivisionPattern(RewritePatternSet &patterns);

/// Converts the roles of a kernel, whose body is in `context.getFunction()`, to
/// one chain of branches. Call it before patterns run.
LogicalResult lowerRoles(LoweringContext &context);

/// Lets loops with an early exit leave; reports an unbounded loop without one.
/// Call it before patterns run.
LogicalResult endLoopsEarly(LLVM::LLVMFuncOp function);

/// Makes launches overlap. Call it after `lowerRoles`, before patterns run.
void emitGridDependency(LoweringContext &context);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_PATTERNS_H
