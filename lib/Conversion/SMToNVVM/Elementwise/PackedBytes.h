//===- PackedBytes.h - Four bytes in one register ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of i8, four elements at a time. Kernels use it to unpack weights
// of 4 and 8 bits. The machine has no instructions for bytes. One by one, each
// byte takes a register, is extended after every operation, and is divided by
// sequences of ten instructions. In a word, carries must not cross from byte to
// byte.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_PACKEDBYTES_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_PACKEDBYTES_H

#include "tessera/Dialect/SM/IR/ByteArithmetic.h"
#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Converts four bytes to a word, and back. Between two operations on words,
/// the conversions cancel.
Value packBytes(OpBuilder &builder, Location loc, ValueRange bytes);
SmallVector<Value> unpackBytes(OpBuilder &builder, Location loc, Value word);

/// Emits `op`, an instruction on bytes, for words: an i32 for each operand.
Value emitBytes(OpBuilder &builder, Operation *op, ValueRange words);

/// Returns the bytes of `word`, with or without a sign, as four floats of type
/// `element` (f32, f16 or bf16): four scalars of f32, or two vectors of two.
///
/// A byte is placed in the last bits of a float with a known exponent, and a
/// constant is subtracted. That takes two instructions of full rate. Conversion
/// instructions have a lower rate (CUDA C++ Programming Guide, "Arithmetic
/// Instructions").
SmallVector<Value> emitBytesToFloats(OpBuilder &builder, Location loc,
                                     Type element, Value word, bool isSigned);

/// Emits the bytes of `word`, each from -64 to 63, or from 0 to 127 without a
/// sign, as four bf16: two vectors of two. A bf16 with a known exponent has
/// seven bits for them.
SmallVector<Value> emitSevenBitsToBF16(OpBuilder &builder, Location loc,
                                       Value word, bool isSigned);

/// Emits the sum of `pair`, two converted bytes, and `distance`: the conversion
/// subtracts a constant already, and one that is less by `distance` takes no
/// further instruction. Null if that constant is not exact.
Value addToConvertedBytes(OpBuilder &builder, Value pair,
                          const APFloat &distance);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_PACKEDBYTES_H
