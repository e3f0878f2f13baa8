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

} // namespace
