//===- BoundedJsonTest.cpp - JSON of bounded nesting ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/BoundedJson.h"
#include "gtest/gtest.h"

using namespace tessera::array;

namespace {

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseJson(text);
  return value ? "" : llvm::toString(value.takeError());
}

std::string nest(size_t depth, llvm::StringRef inner = "") {
  return std::string(depth, '[') + inner.str() + std::string(depth, ']');
}

TEST(BoundedJson, NestingHasALimit) {
  EXPECT_EQ(errorOf(nest(100)), "");
  EXPECT_EQ(errorOf(nest(101)),
            "the JSON has more than 100 levels of nesting at byte 100");
  // Enough to overflow a stack of 8 MiB.
  EXPECT_NE(errorOf(std::string(1000000, '[')), "");
  std::string objects;
  for (int i = 0; i < 100000; ++i)
    objects += "{\"a\":";
  EXPECT_EQ(errorOf(objects),
            "the JSON has more than 100 levels of nesting at byte 500");
}

TEST(BoundedJson, BracketsInStringsDoNotCount) {
  std::string many(1000, '[');
  EXPECT_EQ(errorOf("\"" + many + "\""), "");
  EXPECT_EQ(errorOf("[\"\\\"" + many + "\", \"\\\\\", []]"), "");
  EXPECT_EQ(errorOf(nest(100, "\"]]]\"")), "");
}

TEST(BoundedJson, SyntaxErrorsAreThoseOfTheParser) {
  EXPECT_EQ(errorOf("[1, "), "[1:4, byte=4]: Unexpected EOF");
  EXPECT_NE(errorOf("]]]"), "");
  EXPECT_NE(errorOf("\"\\"), "");
  EXPECT_NE(errorOf(""), "");
}

} // namespace
