//===- Generator.cpp - Reproducible random numbers --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SplitMix64 (Steele, Lea, Flood 2014), and Marsaglia's polar method for normal
// numbers. Integers are uniform by rejection of the incomplete last run. A
// stream starts at a hash (FNV-1a) of its name, mixed with the seed. Only
// operations that IEEE 754 rounds exactly are used, so all machines give the
// same numbers.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/Generator.h"
#include <cmath>

using namespace tessera::array;

static uint64_t mix(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// Returns the natural logarithm of a number in (0, 1), to about 1e-16: the
/// series of artanh after reduction to [sqrt(1/2), sqrt(2)).
static double logarithm(double value) {
  int exponent;
  double mantissa = std::frexp(value, &exponent);
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  double t = (mantissa - 1) / (mantissa + 1);
  double square = t * t, sum = 0;
  for (int k = 23; k >= 1; k -= 2)
    sum = sum * square + 1.0 / k;
  return 2 * t * sum + exponent * 0.69314718055994531;
}

Generator::Generator(uint64_t seed, llvm::StringRef name) {
  // FNV-1a over the name, so that streams do not depend on the order of
  // arguments.
  uint64_t hash = 0xcbf29ce484222325u;
  for (char c : name)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3u;
  state = mix(mix(seed) + hash);
}

uint64_t Generator::nextBits() {
  state += 0x9e3779b97f4a7c15u;
  return mix(state);
}

double Generator::nextUniform() { return double(nextBits() >> 11) * 0x1p-53; }

double Generator::nextNormal() {
  if (spareNormal) {
    double value = *spareNormal;
    spareNormal.reset();
    return value;
  }
  while (true) {
    double x = 2 * nextUniform() - 1, y = 2 * nextUniform() - 1;
    double square = x * x + y * y;
    if (square >= 1 || square == 0)
      continue;
    double scale = std::sqrt(-2 * logarithm(square) / square);
    spareNormal = y * scale;
    return x * scale;
  }
}

int64_t Generator::nextInteger(int64_t low, int64_t high) {
  uint64_t width = uint64_t(high) - uint64_t(low);
  // Reject the bits of the last, incomplete run of `width` numbers.
  uint64_t incomplete = (0 - width) % width;
  uint64_t bits = nextBits();
  while (bits < incomplete)
    bits = nextBits();
  return int64_t(uint64_t(low) + bits % width);
}
