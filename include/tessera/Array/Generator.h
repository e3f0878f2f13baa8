//===- Generator.h - Reproducible random numbers ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random numbers that depend on the seed and the name of the stream alone: not
// on the C++ library (whose distributions are unspecified), nor on the
// mathematical library (the logarithm of the normal distribution is computed
// here from IEEE operations).
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
  /// The stream `name` of `seed`: different names give unrelated streams.
  Generator(uint64_t seed, llvm::StringRef name);

  /// 64 random bits (SplitMix64).
  uint64_t nextBits();

  /// Uniform in [0, 1), a multiple of 2^-53.
  double nextUniform();

  /// Of the standard normal distribution (Marsaglia's polar method).
  double nextNormal();

  /// Uniform in [low, high); `low < high`.
  int64_t nextInteger(int64_t low, int64_t high);

private:
  uint64_t state;
  std::optional<double> spareNormal;
};

} // namespace tessera::array

#endif // TESSERA_ARRAY_GENERATOR_H
