//===- Comparison.h - How far two arrays are apart --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares a computed array with the expected one. Values that are not finite
// never enter an error measure: they must agree, and where they do not they are
// counted.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_COMPARISON_H
#define TESSERA_ARRAY_COMPARISON_H

#include "tessera/Array/NDArray.h"
#include <optional>

namespace tessera::array {

/// What counts as equal: |x - ref| <= absolute + relative |ref| for each
/// element and, if `rms` is given, rms(x - ref) <= rms * rms(ref) instead.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  std::optional<double> rms;

  /// A tolerance for results of a computation that ends in the given type.
  static Tolerance getDefault(ElementType type);
};

struct Comparison {
  double maxAbsolute = 0;
  double maxRelative = 0;
  /// rms(x - ref) / rms(ref); infinite if the reference is zero and x is not.
  double relativeRms = 0;
  int64_t numNonFiniteMismatches = 0;
  /// Elements outside of the tolerance, those above included.
  int64_t numBad = 0;
  std::optional<int64_t> firstBad;
  bool good = true;
};

/// Compares two arrays of one shape.
Comparison compare(const NDArray &actual, const NDArray &expected,
                   const Tolerance &tolerance);

} // namespace tessera::array

#endif // TESSERA_ARRAY_COMPARISON_H
