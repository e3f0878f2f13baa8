//===- ConversionFormsTest.cpp - Conversions --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

#include "llvm/ADT/APFloat.h"

#include <cfenv>
#include <cmath>

using namespace tessera;
using namespace tessera::emu;
using llvm::APFloat;

namespace {

constexpr uint64_t kNaN32 = 0x7fffffff, kNaN64 = 0x7ff8000000000000;

TEST(ConversionForms, IntegersToIntegers) {
  EXPECT_EQ(run("cvt.u32.u64", {0x123456789abcdef0}), 0x9abcdef0u);
  EXPECT_EQ(run("cvt.u64.u32", {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(run("cvt.s64.s32", {0xffffffff}), ~uint64_t(0));
  EXPECT_EQ(run("cvt.s64.u32", {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(run("cvt.u64.s16", {0x8000}), 0xffffffffffff8000u);
  EXPECT_EQ(run("cvt.s32.s8", {0x80}), 0xffffff80u);
  EXPECT_EQ(run("cvt.u8.u32", {0x1ff}), 0xffu);
  EXPECT_EQ(run("cvt.s8.s32", {0x180}), 0x80u);
  EXPECT_EQ(run("cvt.u16.u64", {0x12345}), 0x2345u);
}

TEST(ConversionForms, SaturatesIntegers) {
  EXPECT_EQ(run("cvt.sat.s8.s32", {1000}), 0x7fu);
  EXPECT_EQ(run("cvt.sat.s8.s32", {uint32_t(-1000)}), 0x80u);
  EXPECT_EQ(run("cvt.sat.u8.s32", {uint32_t(-1)}), 0u);
  EXPECT_EQ(run("cvt.sat.u8.s32", {77}), 77u);
  EXPECT_EQ(run("cvt.sat.s32.u32", {0xffffffff}), 0x7fffffffu);
  EXPECT_EQ(run("cvt.sat.u32.s64", {uint64_t(1) << 40}), 0xffffffffu);
  EXPECT_EQ(run("cvt.sat.u64.s8", {0xff}), 0u);
}

template <typename T>
void checkIntegersToFloats(const char *target) {
  struct Mode {
    const char *name;
    int host;
  };
  const Mode modes[] = {{"rn", FE_TONEAREST},
                        {"rz", FE_TOWARDZERO},
                        {"rm", FE_DOWNWARD},
                        {"rp", FE_UPWARD}};
  RandomWords random;
  for (int i = 0; i < 5000; ++i) {
    uint64_t word = random.get(64);
    for (const Mode &mode : modes) {
      std::string prefix = std::string("cvt.") + mode.name + "." + target;
      volatile int64_t wide = word;
      volatile uint32_t narrow = word;
      std::fesetround(mode.host);
      volatile T fromWide = T(wide), fromNarrow = T(narrow);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(run(prefix + ".s64", {word}), bits(T(fromWide)))
          << prefix << " " << word;
      EXPECT_EQ(run(prefix + ".u32", {uint32_t(word)}), bits(T(fromNarrow)))
          << prefix << " " << word;
    }
  }
}

TEST(ConversionForms, IntegersToFloats) {
  checkIntegersToFloats<float>("f32");
  checkIntegersToFloats<double>("f64");
  EXPECT_EQ(run("cvt.rn.f32.s8", {0xff}), bits(-1.0f));
  EXPECT_EQ(run("cvt.rn.f32.u64", {~uint64_t(0)}), bits(0x1p64f));
  EXPECT_EQ(run("cvt.rz.f32.u64", {~uint64_t(0)}), bits(0x1.fffffep63f));
  EXPECT_EQ(run("cvt.rn.f64.u64", {~uint64_t(0)}), bits(0x1p64));
  EXPECT_EQ(run("cvt.rn.sat.f32.s32", {7}), bits(1.0f));
  EXPECT_EQ(run("cvt.rn.f16.u32", {2049}), 0x6800u);
  EXPECT_EQ(run("cvt.rp.f16.u32", {2049}), 0x6801u);
  EXPECT_EQ(run("cvt.rn.f16.s32", {uint32_t(-100000)}), 0xfc00u);
  EXPECT_EQ(run("cvt.rz.f16.u32", {100000}), 0x7bffu);
  // 2^62 + 2^54 + 1 is above the middle of two bf16 numbers; rounding to f64
  // first would end in the middle.
  EXPECT_EQ(run("cvt.rn.bf16.u64", {(uint64_t(1) << 62) + (uint64_t(1) << 54)}),
            0x5e80u);
  EXPECT_EQ(
      run("cvt.rn.bf16.u64", {(uint64_t(1) << 62) + (uint64_t(1) << 54) + 1}),
      0x5e81u);
}

TEST(ConversionForms, FloatsToIntegers) {
  struct Case {
    float value;
    int nearest, zero, down, up;
  };
  const Case cases[] = {{2.5f, 2, 2, 2, 3},      {3.5f, 4, 3, 3, 4},
                        {-2.5f, -2, -2, -3, -2}, {-0.75f, -1, 0, -1, 0},
                        {0x1p-149f, 0, 0, 0, 1}, {-0.0f, 0, 0, 0, 0}};
  for (const Case &c : cases)
    for (const char *type : {"f32", "f64"}) {
      uint64_t word = type[1] == '3' ? bits(c.value) : bits(double(c.value));
      auto convert = [&](const char *mode) {
        return int(run(std::string("cvt.") + mode + ".s32." + type, {word}));
      };
      EXPECT_EQ(convert("rni"), c.nearest) << c.value;
      EXPECT_EQ(convert("rzi"), c.zero) << c.value;
      EXPECT_EQ(convert("rmi"), c.down) << c.value;
      EXPECT_EQ(convert("rpi"), c.up) << c.value;
    }
  EXPECT_EQ(run("cvt.rpi.ftz.s32.f32", {1}), 0u);
  EXPECT_EQ(run("cvt.rzi.u8.f16", {0x5bf8}), 255u);
  EXPECT_EQ(run("cvt.rzi.s8.bf16", {0xc316}), 0x80u);
}

TEST(ConversionForms, FloatsToIntegersSaturate) {
  EXPECT_EQ(run("cvt.rzi.s32.f32", {bits(0x1p31f)}), 0x7fffffffu);
  EXPECT_EQ(run("cvt.rzi.s32.f32", {bits(-0x1p31f)}), 0x80000000u);
  EXPECT_EQ(run("cvt.rzi.s32.f32", {bits(-INFINITY)}), 0x80000000u);
  EXPECT_EQ(run("cvt.rzi.u32.f32", {bits(-1.0f)}), 0u);
  EXPECT_EQ(run("cvt.rzi.u32.f32", {bits(0x1p32f)}), 0xffffffffu);
  EXPECT_EQ(run("cvt.rzi.u32.f32", {bits(0x1.fffffep31f)}), 0xffffff00u);
  EXPECT_EQ(run("cvt.rzi.s64.f32", {bits(0x1p63f)}), 0x7fffffffffffffffu);
  EXPECT_EQ(run("cvt.rzi.s64.f64", {bits(-0x1p63)}), 0x8000000000000000u);
  EXPECT_EQ(run("cvt.rzi.u64.f64", {bits(0x1p64)}), ~uint64_t(0));
  EXPECT_EQ(run("cvt.rzi.u64.f64", {bits(0x1.fffffffffffffp63)}),
            0xfffffffffffff800u);
  EXPECT_EQ(run("cvt.rni.sat.s16.f64", {bits(40000.0)}), 0x7fffu);
  EXPECT_EQ(run("cvt.rni.u16.f64", {bits(65535.5)}), 0xffffu);
}

/// PTX ISA, the integer notes of cvt: zero only where neither type has 64 bits.
TEST(ConversionForms, NaNsToIntegers) {
  EXPECT_EQ(run("cvt.rzi.s32.f32", {kNaN32}), 0u);
  EXPECT_EQ(run("cvt.rzi.u16.f16", {0x7fff}), 0u);
  EXPECT_EQ(run("cvt.rzi.s64.f32", {kNaN32}), 0x8000000000000000u);
  EXPECT_EQ(run("cvt.rzi.u64.bf16", {0x7fff}), 0x8000000000000000u);
  EXPECT_EQ(run("cvt.rzi.s32.f64", {kNaN64}), 0x80000000u);
  EXPECT_EQ(run("cvt.rzi.u32.f64", {kNaN64}), 0x80000000u);
  EXPECT_EQ(run("cvt.rzi.u8.f64", {kNaN64}), 0x80u);
}

TEST(ConversionForms, WidensExactly) {
  for (uint64_t word = 0; word < 0x10000; ++word) {
    APFloat half(APFloat::IEEEhalf(), llvm::APInt(16, word));
    APFloat brain(APFloat::BFloat(), llvm::APInt(16, word));
    if (!half.isNaN()) {
      EXPECT_EQ(run("cvt.f32.f16", {word}), bits(half.convertToFloat()));
      EXPECT_EQ(run("cvt.f64.f16", {word}), bits(half.convertToDouble()));
    } else {
      EXPECT_EQ(run("cvt.f32.f16", {word}), kNaN32);
    }
    if (!brain.isNaN()) {
      EXPECT_EQ(run("cvt.f32.bf16", {word}), bits(brain.convertToFloat()));
    } else {
      EXPECT_EQ(run("cvt.f32.bf16", {word}), kNaN32);
    }
  }
  EXPECT_EQ(run("cvt.f64.f32", {1}), bits(0x1p-149));
  EXPECT_EQ(run("cvt.ftz.f64.f32", {1}), 0u);
  EXPECT_EQ(run("cvt.ftz.f32.bf16", {0x8001}), bits(-0.0f));
  EXPECT_EQ(run("cvt.f32.bf16", {0x8001}), 0x80010000u);
}

TEST(ConversionForms, Narrows) {
  struct Mode {
    const char *name;
    APFloat::roundingMode mode;
  };
  const Mode modes[] = {{"rn", APFloat::rmNearestTiesToEven},
                        {"rz", APFloat::rmTowardZero},
                        {"rm", APFloat::rmTowardNegative},
                        {"rp", APFloat::rmTowardPositive}};
  struct Target {
    const char *name;
    const llvm::fltSemantics &semantics;
  };
  const Target targets[] = {{"f16", APFloat::IEEEhalf()},
                            {"bf16", APFloat::BFloat()},
                            {"f32", APFloat::IEEEsingle()}};
  std::mt19937_64 engine(5);
  for (int i = 0; i < 20000; ++i) {
    float x = toFloat(engine());
    if (i % 2) // In the range of f16, and often in the middle of two.
      x = std::ldexp(float(1 + engine() % 8191), int(engine() % 40) - 30);
    double y = i % 3 ? double(x) : std::nextafter(double(x), 0.0);
    for (const Mode &mode : modes)
      for (const Target &target : targets) {
        std::string prefix =
            std::string("cvt.") + mode.name + "." + target.name;
        bool losesInfo;
        APFloat wide(y), single(x);
        wide.convert(target.semantics, mode.mode, &losesInfo);
        single.convert(target.semantics, mode.mode, &losesInfo);
        if (!std::isnan(x)) {
          EXPECT_EQ(run(prefix + ".f64", {bits(y)}),
                    wide.bitcastToAPInt().getZExtValue())
              << prefix << " " << y;
          if (target.name != targets[2].name) {
            EXPECT_EQ(run(prefix + ".f32", {bits(x)}),
                      single.bitcastToAPInt().getZExtValue())
                << prefix << " " << x;
          }
        }
      }
  }
  EXPECT_EQ(run("cvt.rn.f16.f32", {0xff800001}), 0x7fffu);
  EXPECT_EQ(run("cvt.rz.bf16.f32", {0xff800001}), 0x7fffu);
  EXPECT_EQ(run("cvt.rn.f32.f64", {kNaN64}), kNaN32);
  EXPECT_EQ(run("cvt.rn.ftz.f32.f64", {bits(0x1p-130)}), 0u);
  EXPECT_EQ(run("cvt.rn.bf16.f16", {0x3c01}), 0x3f80u);
  EXPECT_EQ(run("cvt.rp.bf16.f16", {0x3c01}), 0x3f81u);
  EXPECT_EQ(run("cvt.rn.f16.bf16", {0x7f7f}), 0x7c00u);
}

TEST(ConversionForms, Clamps) {
  EXPECT_EQ(run("cvt.sat.f32.f32", {bits(1.5f)}), bits(1.0f));
  EXPECT_EQ(run("cvt.sat.f32.f32", {kNaN32}), 0u);
  EXPECT_EQ(run("cvt.sat.f32.f32", {bits(-2.0f)}), 0u);
  EXPECT_EQ(run("cvt.rn.sat.f16.f32", {bits(2.0f)}), 0x3c00u);
  EXPECT_EQ(run("cvt.ftz.f32.f32", {0x80000001}), bits(-0.0f));
  EXPECT_EQ(run("cvt.rn.relu.f16.f32", {bits(-2.0f)}), 0u);
  EXPECT_EQ(run("cvt.rn.relu.bf16.f32", {kNaN32}), 0x7fffu);
  EXPECT_EQ(run("cvt.rn.satfinite.f16.f32", {bits(1e6f)}), 0x7bffu);
  EXPECT_EQ(run("cvt.rn.satfinite.f16.f32", {bits(-INFINITY)}), 0xfbffu);
  EXPECT_EQ(run("cvt.rz.satfinite.bf16.f32", {bits(INFINITY)}), 0x7f7fu);
  EXPECT_EQ(run("cvt.rn.satfinite.bf16.f32", {kNaN32}), 0x7fffu);
  EXPECT_EQ(run("cvt.rn.relu.satfinite.f16.f32", {bits(-INFINITY)}), 0u);
}

TEST(ConversionForms, RoundsToIntegral) {
  EXPECT_EQ(run("cvt.rni.f32.f32", {bits(2.5f)}), bits(2.0f));
  EXPECT_EQ(run("cvt.rzi.f32.f32", {bits(-2.75f)}), bits(-2.0f));
  EXPECT_EQ(run("cvt.rmi.f64.f64", {bits(-2.25)}), bits(-3.0));
  EXPECT_EQ(run("cvt.rpi.f32.f32", {bits(-0.25f)}), bits(-0.0f));
  EXPECT_EQ(run("cvt.rpi.f32.f32", {1}), bits(1.0f));
  EXPECT_EQ(run("cvt.rpi.ftz.f32.f32", {1}), 0u);
  EXPECT_EQ(run("cvt.rni.f16.f16", {0x3e00}), 0x4000u);
  EXPECT_EQ(run("cvt.rzi.bf16.bf16", {0xc028}), 0xc000u);
  EXPECT_EQ(run("cvt.rni.sat.f32.f32", {bits(2.5f)}), bits(1.0f));
  EXPECT_EQ(run("cvt.rni.f32.f32", {bits(INFINITY)}), bits(INFINITY));
  EXPECT_EQ(run("cvt.rni.f32.f32", {0xffc00000}), kNaN32);
}

} // namespace
