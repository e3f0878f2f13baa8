//===- ProductOperandTest.cpp - From a tensor to its product ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices in global memory, brought to shared memory by tensor copies, read
// through descriptors with the fields that CUTLASS documents (its comments on
// canonical layouts), multiplied, and compared with the plain product.
//
//===----------------------------------------------------------------------===//

#include "ErrorText.h"

#include "tessera/Array/Rounding.h"
#include "tessera/Emulator/MatrixProduct.h"
#include "tessera/Emulator/TensorMap.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

using namespace tessera;
using namespace tessera::emu;
using array::ElementType;

namespace {

struct ProductType {
  Type type;
  int mapType;
  ElementType element;
  unsigned bytes, k;
};
constexpr ProductType kBf16 = {Type::BF16, 9, ElementType::BF16, 2, 16};
constexpr ProductType kF8 = {Type::E4M3, 0, ElementType::F8E4M3FN, 1, 32};
constexpr ProductType kTf32 = {Type::TF32, 7, ElementType::F32, 4, 8};

/// An operand of `rows` (m or n) x `depth` (k).
struct Tile {
  Tile(const ProductType &type, unsigned rows, unsigned depth, bool isKMajor,
       unsigned swizzle, uint32_t base)
      : type(type), rows(rows), depth(depth), isKMajor(isKMajor),
        span(swizzle ? 16u << swizzle : 16), swizzle(swizzle), base(base) {}

  /// Of the dimension that is contiguous, and of the other.
  unsigned major() const { return isKMajor ? depth : rows; }
  unsigned minor() const { return isKMajor ? rows : depth; }

  void fill(std::mt19937 &random) {
    values.resize(rows * depth);
    global.resize(values.size() * type.bytes);
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < depth; ++j) {
        float value = int(random() % 17) - 8;
        values[i * depth + j] = value;
        uint32_t bits = array::encode(type.element, value);
        size_t place = isKMajor ? i * depth + j : j * rows + i;
        memcpy(&global[place * type.bytes], &bits, type.bytes);
      }
  }

  /// One box for each `span` bytes of the major dimension.
  void copy(std::vector<uint8_t> &shared) const {
    TensorMap map;
    map.type = type.mapType;
    map.rank = 2;
    map.dims = {major(), minor()};
    map.strides = {uint64_t(major()) * type.bytes};
    map.box = {span / type.bytes, minor()};
    map.elementStrides = {1, 1};
    map.swizzle = swizzle;
    ASSERT_THAT(getErrorText(map.verify()), testing::IsEmpty());
    unsigned boxes = major() * type.bytes / span;
    for (unsigned box = 0; box < boxes; ++box)
      visitTensorCopy(
          map, {int32_t(box * span / type.bytes), 0},
          base + box * minor() * span, [&](const TensorCopyPiece &piece) {
            ASSERT_TRUE(piece.global.has_value());
            memcpy(&shared[piece.shared], &global[*piece.global], piece.bytes);
          });
  }

  /// Of the instruction that takes `type.k` from k = `step` on.
  uint64_t getDescriptor(unsigned step) const {
    uint64_t box = minor() * span; // bytes from one to the next
    uint64_t start, leading, stride;
    if (isKMajor) {
      unsigned byte = step * type.bytes;
      start = byte / span * box + byte % span;
      leading = swizzle ? 16 : box;
      stride = 8 * span;
    } else {
      start = step * span;
      leading = swizzle ? box : 8 * span;
      stride = swizzle ? 8 * span : box;
    }
    uint64_t mode = swizzle ? 4 - swizzle : 0;
    return (base + start) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 |
           mode << 62;
  }

  std::vector<uint32_t> read(const std::vector<uint8_t> &shared,
                             unsigned step) const {
    auto descriptor = MatrixDescriptor::decode(getDescriptor(step));
    EXPECT_THAT(getErrorText(descriptor), testing::IsEmpty());
    std::vector<uint32_t> bits(rows * type.k);
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned j = 0; j < type.k; ++j)
        memcpy(&bits[i * type.k + j],
               &shared[getOperandByte(*descriptor, type.type, isKMajor, i, j)],
               type.bytes);
    return bits;
  }

  ProductType type;
  unsigned rows, depth;
  bool isKMajor;
  unsigned span, swizzle;
  uint32_t base;
  std::vector<float> values;
  std::vector<uint8_t> global;
};

void check(Tile a, Tile b) {
  std::mt19937 random(11);
  std::vector<uint8_t> shared(1 << 18, 0xFF);
  a.fill(random);
  b.fill(random);
  a.copy(shared);
  b.copy(shared);
  ProductForm form;
  form.n = b.rows;
  form.k = a.type.k;
  form.a = form.b = a.type.type;
  std::vector<uint32_t> result(64 * form.n, 0x7FC00000);
  ProductScales scales;
  scales.keepsD = false;
  for (unsigned step = 0; step < a.depth; step += form.k) {
    multiply(form, scales, a.read(shared, step), b.read(shared, step), result);
    scales.keepsD = true;
  }
  unsigned wrong = 0;
  for (unsigned i = 0; i < 64; ++i)
    for (unsigned j = 0; j < form.n; ++j) {
      double sum = 0;
      for (unsigned l = 0; l < a.depth; ++l)
        sum += double(a.values[i * a.depth + l]) * b.values[j * b.depth + l];
      wrong += array::fromBits(result[i * form.n + j]) != sum;
    }
  EXPECT_EQ(wrong, 0u) << "A " << (a.isKMajor ? "K" : "M") << "-major, "
                       << a.swizzle << "; B " << (b.isKMajor ? "K" : "N")
                       << "-major, " << b.swizzle;
}

TEST(ProductOperand, ReadsWhatTensorCopiesWrite) {
  for (bool aIsKMajor : {true, false})
    for (bool bIsKMajor : {true, false})
      for (unsigned aSwizzle = 0; aSwizzle < 4; ++aSwizzle)
        for (unsigned bSwizzle = 0; bSwizzle < 4; ++bSwizzle)
          check(Tile(kBf16, 64, 64, aIsKMajor, aSwizzle, 0x400),
                Tile(kBf16, 192, 64, bIsKMajor, bSwizzle, 0x10000));
}

TEST(ProductOperand, ReadsOtherTypesAlongK) {
  for (const ProductType &type : {kF8, kTf32})
    for (unsigned swizzle = 0; swizzle < 4; ++swizzle)
      check(Tile(type, 64, 128, true, swizzle, 0x400),
            Tile(type, 80, 128, true, 3, 0x20000));
}

TEST(ProductOperand, ReadsRowsThatBeginWithinAPattern) {
  // Both tensor copies and products take the pattern from the address.
  check(Tile(kBf16, 64, 64, true, 3, 0x400 + 128),
        Tile(kBf16, 8, 64, true, 3, 0x10000 + 7 * 128));
  check(Tile(kBf16, 64, 64, false, 2, 0x400 + 128),
        Tile(kBf16, 64, 64, false, 1, 0x10000 + 128));
}

} // namespace
