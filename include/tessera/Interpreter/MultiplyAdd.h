//===- MultiplyAdd.h - Sums of products -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The summation of matrix products, shared by the interpreter and the
// simulator.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_MULTIPLYADD_H
#define TESSERA_INTERPRETER_MULTIPLYADD_H

#include "tessera/Array/Rounding.h"

#include <cstdint>

namespace tessera::interp {

/// Returns `value` as tensor cores read it as TF32: without the low bits of the
/// significand.
inline float truncateToTF32(float value) {
  return array::fromBits(array::getBits(value) & 0xffffe000u);
}

/// Computes row += factor * b for operands of at most 11 significant bits,
/// whose product is exact in f32. (Products beyond the range of f32, which only
/// bf16 and TF32 can form, overflow or lose digits below 2^-149.)
inline void addScaledNarrow(float *row, float factor, const float *b,
                            int64_t count) {
  for (int64_t j = 0; j < count; ++j)
    row[j] += factor * b[j];
}

/// Computes row += factor * b for f32 operands, whose product is exact in f64.
inline void addScaledWide(float *row, float factor, const float *b,
                          int64_t count) {
  double wide = factor;
  for (int64_t j = 0; j < count; ++j)
    row[j] = static_cast<float>(double(row[j]) + wide * double(b[j]));
}

inline void addScaledIntegers(int64_t *row, int64_t factor, const int64_t *b,
                              int64_t count) {
  for (int64_t j = 0; j < count; ++j)
    row[j] += factor * b[j];
}

/// Computes c += a b for row-major matrices.
template <typename T, typename AddScaled>
inline void multiply(T *c, const T *a, const T *b, int64_t rows,
                     int64_t columns, int64_t depth, AddScaled addScaled) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < depth; ++k)
      addScaled(c + i * columns, a[i * depth + k], b + k * columns, columns);
}

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_MULTIPLYADD_H
