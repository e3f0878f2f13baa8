//===- WideFunctions.h - Functions computed in f64 --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_WIDEFUNCTIONS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_WIDEFUNCTIONS_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Arguments that a function is computed for.
enum class Arguments { All, Frequent };

/// Emits `op` on f32 operands, computed in f64 and rounded once; null if `op`
/// is not such a function. With `Arguments::Frequent`, the result holds only
/// where `emitIsRare` is false.
Value emitWideFunction(OpBuilder &builder, Operation *op, ValueRange operands,
                       Arguments arguments);

/// Emits whether the f32 operands are among those that take `op` more steps;
/// null if all operands take the same.
Value emitIsRare(OpBuilder &builder, Operation *op, ValueRange operands);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_WIDEFUNCTIONS_H
