//===- ScalarMath.h - Operations on one element -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers an elementwise operation for one register. Narrow floats compute in
// f32 if the machine has no instruction for them. Functions without an
// instruction are series, with an error of a few units in the last place of
// f32.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_SCALARMATH_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_SCALARMATH_H

#include "WideFunctions.h"

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Emits the result of `op`, an operation of arith or math, for one element.
/// `operands` have storage types. Fails, with a diagnostic, if the machine has
/// no way to compute it. With `Arguments::Frequent`, the result holds only
/// where `emitIsRareElement` is false.
FailureOr<Value> emitElement(OpBuilder &builder, Operation *op,
                             ValueRange operands,
                             Arguments arguments = Arguments::All);

/// Emits whether `op` takes more steps for these operands than for most; null
/// if it takes the same for all.
Value emitIsRareElement(OpBuilder &builder, Operation *op, ValueRange operands);

/// Checks whether `op` on two 16-bit floats in one register is one instruction.
/// Emits that instruction.
bool isPackedInstruction(Operation *op);
Value emitPackedElements(OpBuilder &builder, Operation *op, ValueRange pairs);

/// Converts `value`, in the storage type of the float type `element`, to f32,
/// and back.
Value emitWiden(OpBuilder &builder, Location loc, Type element, Value value);
Value emitNarrow(OpBuilder &builder, Location loc, Type element, Value value);

/// Emits a call of an NVVM intrinsic that has no operation.
Value emitIntrinsic(OpBuilder &builder, Location loc, StringRef name,
                    Type result, ValueRange operands);

/// Emits a function of an f32, by the name of its operation ("math.tanh"); null
/// if there is none.
Value emitFunction(OpBuilder &builder, Location loc, StringRef name, Value x);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_SCALARMATH_H
