//===- ByteArithmetic.h - Tiles of i8 in words ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on tiles of i8 that are carried out four elements at a time. The
// lowering and the analysis of register pressure ask the same functions.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_BYTEARITHMETIC_H
#define TESSERA_DIALECT_SM_IR_BYTEARITHMETIC_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tessera::sm {

/// The elements of a word.
constexpr int64_t kBytesOfWord = 4;

/// Returns the k of a tile that is 2^k everywhere.
std::optional<unsigned> getPowerOfTwo(Value tile);

/// Returns the k of `x - floor(x / 2^k) 2^k`, as `x % 2^k` is written in
/// `tile`.
std::optional<unsigned> getPowerOfRemainder(arith::SubIOp op);

/// Returns the amount of a shift of bytes, if it is known.
std::optional<unsigned> getShiftOfBytes(Operation *op);

/// Checks whether all bytes of `tile` are known to be from -64 to 63, as
/// numbers of 4 bits are that were packed into bytes. Bytes without a sign must
/// be from 0 to 127.
bool hasSevenBits(Value tile, bool isSigned);

/// Checks whether `op`, on tiles of i8, has a form on words: sums, bitwise
/// operations and shifts by constants, products with and floor quotients by
/// powers of two. A thread must have whole words of them.
bool isByteInstruction(Operation *op);

/// Checks whether `op` makes floats from tiles of bytes four at a time.
bool isByteConversion(Operation *op);

/// Checks whether a register holds four elements of `tile`, as each user wants
/// them. Values that a loop carries have one register per element.
bool isHeldInWords(Value tile);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_BYTEARITHMETIC_H
