//===- PackedBytes.h - Four bytes in one register ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of i8, as weights of 4 and 8 bits are unpacked by, four elements
// at a time. The machine has no instructions for bytes: one by one each takes a
// register, is extended after every operation, and is divided by sequences of
// ten instructions. In a word, carries must not cross from byte to byte.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_PACKEDBYTES_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_PACKEDBYTES_H

#include "tessera/Dialect/SM/IR/ByteArithmetic.h"
#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Four bytes as a word, and back. Between two operations on words these cancel
/// out.
Value packBytes(OpBuilder &builder, Location loc, ValueRange bytes);
SmallVector<Value> unpackBytes(OpBuilder &builder, Location loc, Value word);

/// Emits `op`, an instruction on bytes, for words: an i32 for each operand.
Value emitBytes(OpBuilder &builder, Operation *op, ValueRange words);

/// The four floats of type `element` (f32, f16 or bf16) that the signed bytes
/// of `word` are: four scalars of f32, or two vectors of two.
///
/// A byte that becomes the last bits of a float of a known exponent is that
/// number once a constant is subtracted, which takes two instructions of full
/// rate; conversions run at a lower one (CUDA C++ Programming Guide,
/// "Arithmetic Instructions").
SmallVector<Value> emitBytesToFloats(OpBuilder &builder, Location loc,
                                     Type element, Value word);

/// Emits the four bf16 that the bytes of `word` are, each from -64 to 63: two
/// vectors of two. A bf16 of a known exponent has seven bits for them.
SmallVector<Value> emitSevenBitsToBF16(OpBuilder &builder, Location loc,
                                       Value word);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_ELEMENTWISE_PACKEDBYTES_H
