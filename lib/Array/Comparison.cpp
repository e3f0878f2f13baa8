//===- Comparison.cpp - Errors between two arrays ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass over both arrays, in f64. Integers are first compared exactly, since
// f64 cannot represent every i64. Errors are the maximum absolute and relative
// error, and the relative root mean square. Non-finite values only count as
// equal or as mismatches.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/Comparison.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tessera::array;

Tolerance Tolerance::getDefault(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return {1e-12, 1e-13, std::nullopt};
  case ElementType::F32:
    return {1e-4, 1e-5, std::nullopt};
  case ElementType::F16:
    return {2e-3, 1e-3, std::nullopt};
  case ElementType::BF16:
    return {1.6e-2, 1e-3, std::nullopt};
  case ElementType::F8E4M3FN:
    return {0.13, 2e-3, std::nullopt};
  case ElementType::F8E5M2:
    return {0.26, 2e-3, std::nullopt};
  default:
    return {0, 0, std::nullopt};
  }
}

Comparison tessera::array::compare(const NDArray &actual,
                                   const NDArray &expected,
                                   const Tolerance &tolerance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool integers = !isFloat(actual.getType()) && !isFloat(expected.getType());
  Comparison result;
  double sumOfErrors = 0, sumOfReferences = 0;
  for (int64_t i = 0, e = actual.getNumElements(); i < e; ++i) {
    double x = actual.getFloat(i), reference = expected.getFloat(i);
    bool bad = false;
    if (integers && actual.getInteger(i) == expected.getInteger(i)) {
      sumOfReferences += reference * reference;
    } else if (!std::isfinite(x) || !std::isfinite(reference)) {
      bad = !(x == reference || (std::isnan(x) && std::isnan(reference)));
      result.numNonFiniteMismatches += bad;
    } else {
      double error = std::fabs(x - reference);
      // Two integers that differ only beyond the precision of f64 still differ.
      if (integers)
        error = std::max(error, 1.0);
      bad = !(error <=
              tolerance.absolute + tolerance.relative * std::fabs(reference));
      result.maxAbsolute = std::max(result.maxAbsolute, error);
      if (error != 0)
        result.maxRelative =
            std::max(result.maxRelative,
                     reference == 0 ? infinity : error / std::fabs(reference));
      sumOfErrors += error * error;
      sumOfReferences += reference * reference;
    }
    if (bad) {
      ++result.numBad;
      if (!result.firstBad)
        result.firstBad = i;
    }
  }
  if (sumOfErrors != 0)
    result.relativeRms = sumOfReferences == 0
                             ? infinity
                             : std::sqrt(sumOfErrors / sumOfReferences);
  result.good = tolerance.rms ? result.numNonFiniteMismatches == 0 &&
                                    result.relativeRms <= *tolerance.rms
                              : result.numBad == 0;
  return result;
}

NaNCount tessera::array::countNaN(const NDArray &array) {
  NaNCount result;
  if (!isFloat(array.getType()))
    return result;
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
    if (std::isnan(array.getFloat(i)) && result.count++ == 0)
      result.first = i;
  return result;
}
