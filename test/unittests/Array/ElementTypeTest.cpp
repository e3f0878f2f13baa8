//===- ElementTypeTest.cpp - Names of element types -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/ElementType.h"
#include "gtest/gtest.h"

using namespace tessera::array;

namespace {

TEST(ElementTypeTest, ParsesTheNameOfEachType) {
  for (unsigned i = 0; i <= static_cast<unsigned>(kLastElementType); ++i) {
    auto type = static_cast<ElementType>(i);
    EXPECT_EQ(parseElementType(getName(type)), type);
  }
  for (const char *name : {"", "f", "f32 ", "F32", "u128", "index"})
    EXPECT_EQ(parseElementType(name), std::nullopt) << name;
}

TEST(ElementTypeTest, NamesTypesAsSourcesDo) {
  EXPECT_EQ(getSourceName(ElementType::F8E4M3FN), "f8e4m3");
  EXPECT_EQ(getSourceName(ElementType::F8E5M2), "f8e5m2");
  EXPECT_EQ(getSourceName(ElementType::I1), "bool");
  EXPECT_EQ(getSourceName(ElementType::BF16), "bf16");
  EXPECT_EQ(getSourceName(ElementType::U32), "u32");
}

} // namespace
