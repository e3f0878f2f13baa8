//===- Generator.h - Reproducible random numbers ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers that depend only on the seed and the name of the stream. They
// do not depend on the C++ library, whose distributions are unspecified. They
// do not depend on the mathematical library either: the logarithm of the normal
// distribution is computed here by IEEE operations.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_GENERATOR_H
#define TESSERA_ARRAY_GENERATOR_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace tessera::array {

class Generator {
public:
  /// Creates the stream `name` of `seed`. Streams with different names are
  /// unrelated.
  Generator(uint64_t seed, llvm::StringRef name);

  /// Returns 64 random bits (SplitMix64).
  uint64_t nextBits();

  /// Returns a uniform number in [0, 1), a multiple of 2^-53.
  double nextUniform();

  /// Returns a number of the standard normal distribution (Marsaglia's polar
  /// method).
  double nextNormal();

  /// Returns a uniform number in [low, high); `low < high`.
  int64_t nextInteger(int64_t low, int64_t high);

private:
  uint64_t state;
  std::optional<double> spareNormal;
};

} // namespace tessera::array

#endif // TESSERA_ARRAY_GENERATOR_H
