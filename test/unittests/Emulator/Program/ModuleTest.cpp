//===- ModuleTest.cpp - Types by name -------------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/Module.h"

#include "gtest/gtest.h"

using namespace tessera::emu;

namespace {

TEST(EmulatorModuleTest, TypesHaveTheirWidths) {
  struct {
    const char *name;
    unsigned bits, bytes;
    bool isSigned, isFloat;
  } types[] = {{"pred", 1, 1, false, false},  {"b8", 8, 1, false, false},
               {"b16", 16, 2, false, false},  {"b32", 32, 4, false, false},
               {"b64", 64, 8, false, false},  {"b128", 128, 16, false, false},
               {"u8", 8, 1, false, false},    {"u16", 16, 2, false, false},
               {"u32", 32, 4, false, false},  {"u64", 64, 8, false, false},
               {"s8", 8, 1, true, false},     {"s16", 16, 2, true, false},
               {"s32", 32, 4, true, false},   {"s64", 64, 8, true, false},
               {"f16", 16, 2, false, true},   {"f16x2", 32, 4, false, true},
               {"bf16", 16, 2, false, true},  {"bf16x2", 32, 4, false, true},
               {"tf32", 32, 4, false, true},  {"f32", 32, 4, false, true},
               {"f64", 64, 8, false, true},   {"e4m3", 8, 1, false, true},
               {"e5m2", 8, 1, false, true},   {"e4m3x2", 16, 2, false, true},
               {"e5m2x2", 16, 2, false, true}};
  for (const auto &expected : types) {
    std::optional<Type> type = parseType(expected.name);
    ASSERT_TRUE(type) << expected.name;
    EXPECT_EQ(toString(*type), expected.name);
    EXPECT_EQ(getBits(*type), expected.bits) << expected.name;
    EXPECT_EQ(getBytes(*type), expected.bytes) << expected.name;
    EXPECT_EQ(isSigned(*type), expected.isSigned) << expected.name;
    EXPECT_EQ(isFloat(*type), expected.isFloat) << expected.name;
  }
}

TEST(EmulatorModuleTest, OtherWordsAreNoTypes) {
  for (const char *name : {"", ".f32", "F32", "f", "f33", "x2", "global", "b1"})
    EXPECT_FALSE(parseType(name)) << name;
}

TEST(EmulatorModuleTest, KernelsAreFoundByName) {
  Module module;
  module.kernels.push_back(std::make_unique<Kernel>());
  module.kernels.push_back(std::make_unique<Kernel>());
  module.kernels[0]->name = "first";
  module.kernels[1]->name = "second";
  EXPECT_EQ(module.findKernel("second"), module.kernels[1].get());
  EXPECT_EQ(module.findKernel("third"), nullptr);
}

} // namespace
