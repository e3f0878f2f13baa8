//===- Comparison.h - Errors between two arrays -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares a computed array with the expected one. Values that are not finite
// do not enter an error measure: they must agree, and disagreements are
// counted.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_COMPARISON_H
#define TESSERA_ARRAY_COMPARISON_H

#include "tessera/Array/NDArray.h"
#include <optional>

namespace tessera::array {

/// The condition of equality: |x - ref| <= absolute + relative |ref| for each
/// element. With `rms`, it is rms(x - ref) <= rms * rms(ref) instead.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  std::optional<double> rms;

  /// Returns a tolerance for the results of a computation in the given type.
  static Tolerance getDefault(ElementType type);
};

struct Comparison {
  double maxAbsolute = 0;
  double maxRelative = 0;
  /// rms(x - ref) / rms(ref); infinite if the reference is zero and x is not.
  double relativeRms = 0;
  int64_t numNonFiniteMismatches = 0;
  /// Elements outside of the tolerance, including non-finite mismatches.
  int64_t numBad = 0;
  std::optional<int64_t> firstBad;
  bool good = true;
};

/// Compares two arrays of one shape.
Comparison compare(const NDArray &actual, const NDArray &expected,
                   const Tolerance &tolerance);

/// The NaN of an array; none for integers.
struct NaNCount {
  int64_t count = 0;
  /// Row-major position of the first one.
  int64_t first = 0;
};
NaNCount countNaN(const NDArray &array);

} // namespace tessera::array

#endif // TESSERA_ARRAY_COMPARISON_H
