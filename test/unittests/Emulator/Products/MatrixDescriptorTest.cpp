//===- MatrixDescriptorTest.cpp - Bytes of product operands -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes worked out by hand from the figures of the PTX ISA ("Shared Memory
// Matrix Layout" and "Strides" of wgmma).
//
//===----------------------------------------------------------------------===//

#include "ErrorText.h"

#include "tessera/Emulator/MatrixProduct.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

MatrixDescriptor make(unsigned swizzle, uint32_t address, uint32_t leading,
                      uint32_t stride, unsigned baseOffset = 0) {
  return {address, leading, stride, baseOffset, swizzle};
}

TEST(MatrixDescriptor, ReadsTheFields) {
  // The constants of a bf16 product with a swizzle of 128 bytes.
  auto descriptor = MatrixDescriptor::decode(4611686293305360384 | 0x2008);
  ASSERT_THAT(getErrorText(descriptor), testing::IsEmpty());
  EXPECT_EQ(descriptor->address, 0x20080u);
  EXPECT_EQ(descriptor->leadingOffset, 16u);
  EXPECT_EQ(descriptor->strideOffset, 1024u);
  EXPECT_EQ(descriptor->baseOffset, 0u);
  EXPECT_EQ(descriptor->swizzle, 1u);
  EXPECT_EQ(descriptor->getSpan(), 128u);
  descriptor = MatrixDescriptor::decode(uint64_t(3) << 62 | uint64_t(5) << 49 |
                                        uint64_t(0x3FFF) << 32 |
                                        uint64_t(0x3FFE) << 16 | 0x3FFD);
  ASSERT_THAT(getErrorText(descriptor), testing::IsEmpty());
  EXPECT_EQ(descriptor->address, 0x3FFD0u);
  EXPECT_EQ(descriptor->leadingOffset, 0x3FFE0u);
  EXPECT_EQ(descriptor->strideOffset, 0x3FFF0u);
  EXPECT_EQ(descriptor->baseOffset, 5u);
  EXPECT_EQ(descriptor->swizzle, 3u);
  EXPECT_EQ(descriptor->getSpan(), 32u);
  EXPECT_EQ(make(2, 0, 0, 0).getSpan(), 64u);
  EXPECT_EQ(make(0, 0, 0, 0).getSpan(), 16u);
}

TEST(MatrixDescriptor, RefusesOtherBits) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    bool isField = bit < 14 || (bit >= 16 && bit < 30) ||
                   (bit >= 32 && bit < 46) || (bit >= 49 && bit < 52) ||
                   bit >= 62;
    // A swizzle, so that a base offset may be there.
    auto descriptor =
        MatrixDescriptor::decode(uint64_t(1) << bit | uint64_t(1) << 62);
    EXPECT_EQ(static_cast<bool>(descriptor), isField) << bit;
    if (!descriptor)
      EXPECT_THAT(llvm::toString(descriptor.takeError()),
                  HasSubstr("mask addresses and offsets with 0x3FFFF"));
  }
  EXPECT_THAT(getErrorText(MatrixDescriptor::decode(uint64_t(1) << 49)),
              HasSubstr("without a swizzle"));
}

TEST(OperandByte, WithoutSwizzleKMajor) {
  // Core matrices of 8 rows of 16 bytes; 128 bytes from one to the next along
  // k, 256 to the next along m.
  MatrixDescriptor d = make(0, 0x1000, 128, 256);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 0, 0), 0x1000u);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 0, 7), 0x1000u + 14);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 1, 0), 0x1000u + 16);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 7, 7), 0x1000u + 126);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 0, 8), 0x1000u + 128);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 9, 8), 0x1000u + 400);
  EXPECT_EQ(getOperandByte(d, Type::E4M3, true, 9, 17), 0x1000u + 401);
  EXPECT_EQ(getOperandByte(d, Type::TF32, true, 9, 5), 0x1000u + 404);
}

TEST(OperandByte, WithoutSwizzleMMajor) {
  // Rows of 8 elements along m, 8 of them for 8 of k; the leading offset leads
  // to the next 8 of k, the stride offset to the next 8 of m.
  MatrixDescriptor d = make(0, 0x1000, 128, 256);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 7, 0), 0x1000u + 14);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 0, 1), 0x1000u + 16);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 0, 8), 0x1000u + 128);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 8, 0), 0x1000u + 256);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 17, 10),
            0x1000u + 512 + 128 + 32 + 2);
}

TEST(OperandByte, Swizzle128KMajor) {
  // The leading offset is not used.
  MatrixDescriptor d = make(1, 0x400, 0x3FFF0, 1024);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 0, 8), 0x400u + 16);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 1, 0), 0x400u + 128 + 16);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 3, 8), 0x400u + 384 + 32);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 15, 0),
            0x400u + 1024 + 7 * 128 + 7 * 16);
  // The second step of k begins 32 bytes on: parts 2 and 3.
  d.address += 32;
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 0, 0), 0x400u + 32);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 3, 0), 0x400u + 384 + 16);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 3, 9), 0x400u + 384 + 2);
  // Rows 8 and up of a tile, by address alone.
  d = make(1, 0x400 + 3 * 128, 16, 1024);
  EXPECT_EQ(getOperandByte(d, Type::E5M2, true, 0, 1), 0x400u + 384 + 48 + 1);
  EXPECT_EQ(getOperandByte(d, Type::E5M2, true, 5, 0), 0x400u + 1024);
}

TEST(OperandByte, Swizzle64And32KMajor) {
  MatrixDescriptor d = make(2, 0x200, 16, 512);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 1, 8), 0x200u + 64 + 16);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 3, 8), 0x200u + 192);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 6, 0), 0x200u + 384 + 48);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 9, 1), 0x200u + 512 + 64 + 2);
  d = make(3, 0x100, 16, 256);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 3, 8), 0x100u + 96 + 16);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 5, 0), 0x100u + 160 + 16);
  EXPECT_EQ(getOperandByte(d, Type::BF16, true, 5, 8), 0x100u + 160);
}

TEST(OperandByte, SwizzledMMajor) {
  // 64 of m in a row of 128 bytes, 8 rows for 8 of k, the next 8 of k 1024
  // bytes on, the next 64 of m 2048.
  MatrixDescriptor d = make(1, 0x800, 2048, 1024);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 9, 2),
            0x800u + 256 + (1 ^ 2) * 16 + 2);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 73, 10), 0x800u + 3378);
  // 32 of m in a row of 64 bytes.
  d = make(2, 0x800, 1024, 512);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 33, 3),
            0x800u + 1024 + 192 + (0 ^ 1) * 16 + 2);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 8, 8 + 4),
            0x800u + 512 + 256 + (1 ^ 2) * 16);
  // 16 of m in a row of 32 bytes.
  d = make(3, 0x800, 512, 256);
  EXPECT_EQ(getOperandByte(d, Type::F16, false, 24, 5),
            0x800u + 512 + 160 + (1 ^ 1) * 16);
}

TEST(OperandByte, WrapsAt18Bits) {
  MatrixDescriptor d = make(0, 0x3FFF0, 128, 256);
  EXPECT_EQ(getOperandByte(d, Type::F16, true, 1, 3), 6u);
  d = make(1, 0x3FC00, 16, 1024);
  EXPECT_EQ(getOperandByte(d, Type::F16, true, 9, 0), 128u + 16);
}

TEST(OperandByte, BaseOffsetMovesThePattern) {
  // A pattern that begins 3 * 128 bytes after a boundary lies there as at one.
  for (unsigned swizzle : {1u, 2u, 3u})
    for (unsigned offset = 0; offset < 8; ++offset)
      for (unsigned m = 0; m < 16; ++m)
        for (unsigned k = 0; k < 16; k += 5) {
          uint32_t stride = 8 * (256 >> swizzle);
          EXPECT_EQ(getOperandByte(make(swizzle, 0x2000 + offset * 128, 16,
                                        stride, offset),
                                   Type::F16, true, m, k) -
                        offset * 128,
                    getOperandByte(make(swizzle, 0x2000, 16, stride), Type::F16,
                                   true, m, k));
        }
}

TEST(OperandByte, GivesEachElementItsOwnBytes) {
  for (bool isKMajor : {false, true})
    for (unsigned swizzle = 0; swizzle < 4; ++swizzle) {
      unsigned span = swizzle ? 256 >> swizzle : 16;
      MatrixDescriptor d = isKMajor ? make(swizzle, 0, 64 * span, 8 * span)
                           : swizzle == 0
                               ? make(swizzle, 0, 128, 256)
                               : make(swizzle, 0, 16 * span, 8 * span);
      std::set<uint32_t> seen;
      for (unsigned m = 0; m < 64; ++m)
        for (unsigned k = 0; k < 16; ++k) {
          uint32_t byte = getOperandByte(d, Type::F16, isKMajor, m, k);
          EXPECT_EQ(byte % 2, 0u);
          EXPECT_TRUE(seen.insert(byte).second);
        }
    }
}

} // namespace
