//===- ProductArithmetic.cpp - The sums of a matrix product -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ISA does not define the order and the rounding of sums of floats. Here
// products are exact and the sum over k is computed in double, in order. D is
// added last, and the result is rounded once, to nearest even. Integers are
// exact. Vector registers of the host compute blocks of rows and columns,
// always in the order of k, so all hosts give the same bits.
//
// Machines differ in ways that are not modelled. They align products to the
// largest exponent of a group, and truncate bits below it. Published
// measurements of Hopper show about 25 bits for 16-bit operands. They show
// about 13 bits for 8-bit operands, whose sums are therefore far less precise
// than f32. Groups of k are added one after the other, and results are
// truncated to f32. Subnormal operands and results count in full, as here.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/Rounding.h"
#include "tessera/Emulator/MatrixProduct.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace array = tessera::array;
using array::ElementType;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Returns all values of an 8-bit type.
template <ElementType type>
static const std::array<float, 256> &getF8Values() {
  static const std::array<float, 256> values = [] {
    std::array<float, 256> values;
    for (unsigned bits = 0; bits < 256; ++bits)
      values[bits] = array::decode(type, bits);
    return values;
  }();
  return values;
}

static float decodeOperandF16(uint32_t bits) {
  uint32_t sign = (bits & 0x8000) << 16, magnitude = bits & 0x7FFF;
  if (magnitude >= 0x7C00)
    return array::fromBits(sign | 0x7F800000 | (magnitude & 0x3FF) << 13);
  // The bias of the exponent differs by 112; this also holds for subnormals.
  return array::fromBits(sign | magnitude << 13) * 0x1p112f;
}

/// Applies `convert` to all elements. With `transposes`, `to` is k x count
/// instead of count x k.
template <typename Scalar, typename Convert>
static void convertOperand(ArrayRef<uint32_t> from, unsigned k, bool transposes,
                           bool negates, std::vector<Scalar> &to,
                           Convert convert) {
  to.resize(from.size());
  unsigned count = static_cast<unsigned>(from.size()) / k;
  Scalar sign = negates ? -1 : 1;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned j = 0; j < k; ++j)
      to[transposes ? size_t(j) * count + i : size_t(i) * k + j] =
          sign * static_cast<Scalar>(convert(from[size_t(i) * k + j]));
}

template <typename Scalar>
static void convertOperand(Type type, ArrayRef<uint32_t> from, unsigned k,
                           bool transposes, bool negates,
                           std::vector<Scalar> &to) {
  auto convert = [&](auto function) {
    convertOperand(from, k, transposes, negates, to, function);
  };
  switch (type) {
  case Type::F16:
    return convert(decodeOperandF16);
  case Type::BF16:
    return convert([](uint32_t bits) { return array::fromBits(bits << 16); });
  case Type::TF32:
    // The 13 low bits are ignored.
    return convert(
        [](uint32_t bits) { return array::fromBits(bits & 0xFFFFE000); });
  case Type::E4M3: {
    const auto &values = getF8Values<ElementType::F8E4M3FN>();
    return convert([&](uint32_t bits) { return values[bits & 0xFF]; });
  }
  case Type::E5M2: {
    const auto &values = getF8Values<ElementType::F8E5M2>();
    return convert([&](uint32_t bits) { return values[bits & 0xFF]; });
  }
  case Type::S8:
    return convert([](uint32_t bits) { return static_cast<int8_t>(bits); });
  case Type::U8:
    return convert([](uint32_t bits) { return static_cast<uint8_t>(bits); });
  default:
    assert(false && "no type of a product's operand");
  }
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Rows of A and columns of B of a block, whose sums fit in registers of the
/// host.
constexpr unsigned kBlockRows = 8, kBlockColumns = 8;

/// Multiplies kBlockRows rows of A with B (k x n) into `sums`, and adds in the
/// order of k. `Vector` holds several elements of a row.
template <typename Vector, typename Scalar>
[[gnu::always_inline]] static inline void
multiplyRowsBy(const Scalar *a, const Scalar *b, unsigned k, unsigned n,
               Scalar *sums) {
  constexpr unsigned kVectors = kBlockColumns * sizeof(Scalar) / sizeof(Vector);
  constexpr unsigned kRows = kBlockRows / kVectors;
  for (unsigned row = 0; row < kBlockRows; row += kRows)
    for (unsigned column = 0; column < n; column += kBlockColumns) {
      Vector block[kRows][kVectors] = {};
      for (unsigned i = 0; i < k; ++i) {
        Vector line[kVectors];
        std::memcpy(line, b + size_t(i) * n + column, sizeof(line));
        for (unsigned r = 0; r < kRows; ++r)
          for (unsigned v = 0; v < kVectors; ++v)
            block[r][v] += line[v] * a[size_t(row + r) * k + i];
      }
      for (unsigned r = 0; r < kRows; ++r)
        std::memcpy(sums + size_t(row + r) * n + column, block[r],
                    sizeof(block[r]));
    }
}

template <typename Scalar>
static void multiplyRows(const Scalar *a, const Scalar *b, unsigned k,
                         unsigned n, Scalar *sums) {
  typedef Scalar Vector __attribute__((vector_size(16)));
  multiplyRowsBy<Vector>(a, b, k, n, sums);
}

#ifdef __x86_64__
template <typename Scalar>
[[gnu::target("avx2")]] static void
multiplyWideRows(const Scalar *a, const Scalar *b, unsigned k, unsigned n,
                 Scalar *sums) {
  typedef Scalar Vector __attribute__((vector_size(32)));
  multiplyRowsBy<Vector>(a, b, k, n, sums);
}
static bool hasWideVectors() { return __builtin_cpu_supports("avx2"); }
#else
template <typename Scalar>
static constexpr auto multiplyWideRows = multiplyRows<Scalar>;
static bool hasWideVectors() { return false; }
#endif

/// Calls `finish` with the sums of each row.
template <typename Scalar, typename Finish>
static void multiplyAll(const ProductForm &form, const ProductScales &scales,
                        ArrayRef<uint32_t> a, ArrayRef<uint32_t> b,
                        Finish finish) {
  static const auto multiply =
      hasWideVectors() ? multiplyWideRows<Scalar> : multiplyRows<Scalar>;
  std::vector<Scalar> left, right, sums(kBlockRows * form.n);
  convertOperand(form.a, a, form.k, /*transposes=*/false, scales.negatesA,
                 left);
  convertOperand(form.b, b, form.k, /*transposes=*/true, scales.negatesB,
                 right);
  for (unsigned row = 0, rows = a.size() / form.k; row < rows; ++row) {
    if (row % kBlockRows == 0)
      multiply(left.data() + size_t(row) * form.k, right.data(), form.k, form.n,
               sums.data());
    finish(row,
           ArrayRef<Scalar>(sums).slice(row % kBlockRows * form.n, form.n));
  }
}

static uint32_t encodeSumF32(double value) {
  // Machines return this NaN for all.
  return std::isnan(value) ? 0x7FFFFFFF
                           : array::getBits(static_cast<float>(value));
}

static uint32_t encodeSumF16(double value) {
  if (std::isnan(value))
    return 0x7FFF;
  float rounded = array::roundTo(ElementType::F16, value);
  uint32_t bits = array::getBits(rounded);
  uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7FFFFFFF;
  if (magnitude >= 0x7F800000)
    return sign | 0x7C00;
  // The inverse of `decodeOperandF16`; exact, since the value is rounded.
  return sign | array::getBits(array::fromBits(magnitude) * 0x1p-112f) >> 13;
}

static uint32_t addIntegerSum(uint32_t d, int64_t sum, bool isSaturating) {
  sum += static_cast<int32_t>(d);
  if (isSaturating)
    sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(),
                              std::numeric_limits<int32_t>::max());
  return static_cast<uint32_t>(sum);
}

void tessera::emu::multiply(const ProductForm &form, ProductScales scales,
                            ArrayRef<uint32_t> a, ArrayRef<uint32_t> b,
                            llvm::MutableArrayRef<uint32_t> d) {
  assert(a.size() % (form.k * kBlockRows) == 0 && form.n % kBlockColumns == 0 &&
         b.size() == size_t(form.n) * form.k &&
         d.size() == a.size() / form.k * form.n);
  if (form.d == Type::S32)
    // At most 32 products below 2^16 each: floats hold them exactly.
    return multiplyAll<float>(
        form, scales, a, b, [&](unsigned row, ArrayRef<float> sums) {
          for (unsigned j = 0; j < form.n; ++j) {
            uint32_t &element = d[size_t(row) * form.n + j];
            element =
                addIntegerSum(scales.keepsD ? element : 0,
                              static_cast<int64_t>(sums[j]), form.isSaturating);
          }
        });
  multiplyAll<double>(
      form, scales, a, b, [&](unsigned row, ArrayRef<double> sums) {
        llvm::MutableArrayRef<uint32_t> line =
            d.slice(size_t(row) * form.n, form.n);
        if (form.d == Type::F16) {
          for (unsigned j = 0; j < form.n; ++j)
            line[j] = encodeSumF16(
                scales.keepsD ? sums[j] + double(decodeOperandF16(line[j]))
                              : sums[j]);
          return;
        }
        for (unsigned j = 0; j < form.n; ++j)
          line[j] = encodeSumF32(
              scales.keepsD ? sums[j] + double(array::fromBits(line[j]))
                            : sums[j]);
      });
}
