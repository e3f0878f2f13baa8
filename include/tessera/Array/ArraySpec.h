//===- ArraySpec.h - Specifications of arguments ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Specification of an argument, the text after `--arg NAME=`:
//
//   file.npy @file         the array in a file; the ending or the @ says so
//   randn(2, 64)           normally distributed, standard
//   rand(2, 64)            uniform in [0, 1)
//   randint(lo, hi, 64)    uniform integers in [lo, hi)
//   zeros(2, 64) ones(2, 64) full(x, 2, 64)
//   arange(n)              0, 1, …, n-1
//   0.125  7  true  -inf   a scalar
//   (2, 64)                only a shape, for outputs; (7,) as in Python
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_ARRAYSPEC_H
#define TESSERA_ARRAY_ARRAYSPEC_H

#include "tessera/Array/NDArray.h"
#include <string>

namespace tessera::array {

/// A number as written: 7 and 7.0 differ.
struct Number {
  bool isInteger = false;
  int64_t integer = 0;
  double real = 0;
  std::string spelling;
};

struct ArraySpec {
  enum class Kind {
    File,
    Normal,
    Uniform,
    Integers,
    Full,
    Sequence,
    Scalar,
    Shape
  };

  Kind kind = Kind::Scalar;
  std::string text; // as written
  std::string path; // File
  Number value;     // Full, Scalar
  int64_t low = 0;  // Integers
  int64_t high = 0; // Integers
  Shape shape;      // all but File and Scalar

  static llvm::Expected<ArraySpec> parse(llvm::StringRef text);

  /// Creates the array, of rank 0 for a scalar, with elements of `type`. Random
  /// numbers come from the stream `name` of `seed`. `Shape` creates zeros.
  llvm::Expected<NDArray> materialize(ElementType type, uint64_t seed,
                                      llvm::StringRef name) const;
};

} // namespace tessera::array

#endif // TESSERA_ARRAY_ARRAYSPEC_H
