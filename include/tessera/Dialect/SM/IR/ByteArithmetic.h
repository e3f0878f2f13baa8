//===- ByteArithmetic.h - Tiles of i8 in words ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which operations on tiles of i8 are carried out four elements at a time:
// those who emit them ask here, and those who count their registers.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_BYTEARITHMETIC_H
#define TESSERA_DIALECT_SM_IR_BYTEARITHMETIC_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tessera::sm {

/// The elements of a word.
constexpr int64_t kBytesOfWord = 4;

/// The k of a tile that is 2^k everywhere.
std::optional<unsigned> getPowerOfTwo(Value tile);

/// The k of `x - floor(x / 2^k) 2^k`, as `x % 2^k` is written in `tile`.
std::optional<unsigned> getPowerOfRemainder(arith::SubIOp op);

/// Whether all bytes of `tile` are known to be from -64 to 63, as numbers of 4
/// bits are that were packed into bytes.
bool hasSevenBits(Value tile);

/// Whether `op`, on tiles of i8, has a form on words: sums, bitwise operations,
/// products with and floor quotients by constant powers of two. A thread must
/// have whole words of them.
bool isByteInstruction(Operation *op);

/// Whether `op` makes floats from tiles of signed bytes, of which the same
/// holds.
bool isByteConversion(Operation *op);

/// Whether a register holds four elements of `tile`, as each that uses it wants
/// them. What a loop carries is in one register each.
bool isHeldInWords(Value tile);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_BYTEARITHMETIC_H
