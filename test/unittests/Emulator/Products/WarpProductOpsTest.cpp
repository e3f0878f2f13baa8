//===- WarpProductOpsTest.cpp - Products of one warp
//-------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

#include <cmath>

using namespace tessera::emu;
using testing::HasSubstr;

namespace {

/// An element of a fragment, as the figures of "mma" in the PTX ISA have it:
/// `group` is the lane / 4, `quad` the lane mod 4.
struct Place {
  unsigned row, column;
};

/// A of m16n8k16 with 16-bit elements: a0 to a7.
Place getA16(unsigned lane, unsigned i) {
  unsigned group = lane / 4, quad = lane % 4;
  bool isLower = i == 2 || i == 3 || i == 6 || i == 7;
  return {isLower ? group + 8 : group, quad * 2 + i % 2 + (i >= 4 ? 8 : 0)};
}
/// B of the same: b0 to b3; row is k.
Place getB16(unsigned lane, unsigned i) {
  return {lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0), lane / 4};
}
/// C and D of all: c0 to c3.
Place getC(unsigned lane, unsigned i) {
  return {i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + i % 2};
}

int getElementA(Place place) {
  return int(place.row * 7 + place.column * 3) % 11 - 5;
}
int getElementB(Place place) {
  return int(place.row * 5 + place.column * 2) % 9 - 4;
}
int getProduct(Place place, unsigned k) {
  int sum = 0;
  for (unsigned i = 0; i < k; ++i)
    sum += getElementA({place.row, i}) * getElementB({i, place.column});
  return sum;
}

/// Small integers.
uint32_t toHalf(int value) {
  if (value == 0)
    return 0;
  int exponent = std::ilogb(std::abs(value));
  uint32_t mantissa = (uint32_t(std::abs(value)) << (10 - exponent)) & 0x3FF;
  return (value < 0 ? 0x8000 : 0) | uint32_t(exponent + 15) << 10 | mantissa;
}
uint32_t toSingle(int value) { return llvm::bit_cast<uint32_t>(float(value)); }

/// Registers of all lanes as input, `count` for each lane, and four results.
KernelRun makeRun(llvm::StringRef product, unsigned count,
                  std::vector<uint32_t> words) {
  std::string body = "mul.wide.u32 %rd3, %r0, " + std::to_string(4 * count) +
                     ";\n add.s64 %rd3, %rd3, %rd1;\n";
  for (unsigned i = 0; i < count; ++i)
    body += "ld.global.u32 %r" + std::to_string(10 + i) + ", [%rd3+" +
            std::to_string(4 * i) + "];\n";
  body += product.str() + "\n mad.wide.u32 %rd4, %r0, 16, %rd0;\n"
                          "st.global.v4.u32 [%rd4], {%r1, %r2, %r3, %r4};";
  KernelRun run(body);
  run.input = std::move(words);
  return run;
}

template <typename Function>
std::vector<uint32_t> makeLanes(unsigned count, Function function) {
  return makeWords(32 * count,
                   [&](uint32_t i) { return function(i / count, i % count); });
}

TEST(WarpProductOpsTest, HalfPrecision) {
  std::vector<uint32_t> input = makeLanes(6, [](unsigned lane, unsigned reg) {
    auto get = [&](unsigned half) {
      unsigned i = reg % 4 * 2 + half;
      return toHalf(reg < 4 ? getElementA(getA16(lane, i))
                            : getElementB(getB16(lane, i)));
    };
    return get(0) | get(1) << 16;
  });
  KernelRun run = makeRun("mov.f32 %f1, 0f40A00000;\n mov.b32 %r5, %f1;\n"
                          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                          "{%r1, %r2, %r3, %r4}, {%r10, %r11, %r12, %r13}, "
                          "{%r14, %r15}, {%r5, %r5, 0, %r5};",
                          6, input);
  EXPECT_EQ(take(run.runAll(), 128),
            makeLanes(4, [](unsigned lane, unsigned i) {
              return toSingle(getProduct(getC(lane, i), 16) + (i == 2 ? 0 : 5));
            }));
  // Sums of the same in two registers of two.
  KernelRun half = makeRun("mov.b32 %r5, 0x3C004000;\n mov.b32 %r3, 0;\n"
                           "mov.b32 %r4, 0;\n"
                           "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
                           "{%r1, %r2}, {%r10, %r11, %r12, %r13}, "
                           "{%r14, %r15}, {%r5, %r5};",
                           6, input);
  EXPECT_EQ(take(half.runAll(), 128),
            makeLanes(4, [](unsigned lane, unsigned i) {
              if (i >= 2)
                return 0u;
              int low = getProduct(getC(lane, 2 * i), 16) + 2;
              int high = getProduct(getC(lane, 2 * i + 1), 16) + 1;
              return toHalf(low) | toHalf(high) << 16;
            }));
}

TEST(WarpProductOpsTest, BrainFloatsOfTheShorterShape) {
  // a0, a1 are of row group, a2, a3 of the row 8 below; b0, b1 of rows 2 quad.
  std::vector<uint32_t> input = makeLanes(3, [](unsigned lane, unsigned reg) {
    auto get = [&](unsigned half) {
      unsigned k = lane % 4 * 2 + half;
      int value = reg < 2 ? getElementA({lane / 4 + 8 * reg, k})
                          : getElementB({k, lane / 4});
      return toSingle(value) >> 16;
    };
    return get(0) | get(1) << 16;
  });
  KernelRun run = makeRun("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
                          "{%r1, %r2, %r3, %r4}, {%r10, %r11}, {%r12}, "
                          "{0, 0, 0, 0};",
                          3, input);
  EXPECT_EQ(take(run.runAll(), 128),
            makeLanes(4, [](unsigned lane, unsigned i) {
              return toSingle(getProduct(getC(lane, i), 8));
            }));
}

TEST(WarpProductOpsTest, TF32) {
  // a0 (group, quad), a1 8 rows below, a2 and a3 4 columns on; b0 (quad,
  // group), b1 4 rows below.
  auto makeInput = [](unsigned ofA) {
    return makeLanes(ofA + ofA / 2, [=](unsigned lane, unsigned reg) {
      unsigned group = lane / 4, quad = lane % 4;
      if (reg < ofA)
        return toSingle(
            getElementA({group + reg % 2 * 8, quad + (reg >= 2 ? 4 : 0)}));
      return toSingle(getElementB({quad + 4 * (reg - ofA), group}));
    });
  };
  KernelRun run = makeRun("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                          "{%r1, %r2, %r3, %r4}, {%r10, %r11, %r12, %r13}, "
                          "{%r14, %r15}, {0, 0, 0, 0};",
                          6, makeInput(4));
  EXPECT_EQ(take(run.runAll(), 128),
            makeLanes(4, [](unsigned lane, unsigned i) {
              return toSingle(getProduct(getC(lane, i), 8));
            }));
  KernelRun shorter =
      makeRun("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
              "{%r1, %r2, %r3, %r4}, {%r10, %r11}, {%r12}, {0, 0, 0, 0};",
              3, makeInput(2));
  EXPECT_EQ(take(shorter.runAll(), 128),
            makeLanes(4, [](unsigned lane, unsigned i) {
              return toSingle(getProduct(getC(lane, i), 4));
            }));
}

TEST(WarpProductOpsTest, Integers) {
  // Four elements of a row side by side; a4 to a7 8 rows below, a8 to a15 the
  // same 16 columns on; b4 to b7 16 rows below b0 to b3.
  std::vector<uint32_t> input = makeLanes(6, [](unsigned lane, unsigned reg) {
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i) {
      unsigned k = lane % 4 * 4 + i;
      int value =
          reg < 4
              ? getElementA({lane / 4 + reg % 2 * 8, k + (reg >= 2 ? 16 : 0)})
              : getElementB({k + 16 * (reg - 4), lane / 4});
      word |= uint32_t(value & 0xFF) << (8 * i);
    }
    return word;
  });
  KernelRun run = makeRun("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                          "{%r1, %r2, %r3, %r4}, {%r10, %r11, %r12, %r13}, "
                          "{%r14, %r15}, {7, 7, 7, -3};",
                          6, input);
  EXPECT_EQ(take(run.runAll(), 128),
            makeLanes(4, [](unsigned lane, unsigned i) {
              return getProduct(getC(lane, i), 32) + (i == 3 ? -3 : 7);
            }));
  // 255 · 255 · 16 to the largest number there is.
  KernelRun saturating =
      makeRun("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.u8.s32 "
              "{%r1, %r2, %r3, %r4}, {%r10, %r10}, {%r10}, "
              "{0x7FFFFFFF, 0, 0, 0};",
              1, std::vector<uint32_t>(32, ~0u));
  EXPECT_EQ(take(saturating.runAll(), 4),
            (std::vector<uint32_t>{0x7FFFFFFF, 1040400, 1040400, 1040400}));
}

TEST(WarpProductOpsTest, EightBitFloats) {
  // 1.5 of e4m3 and 2 of e5m2, in all places.
  KernelRun run =
      makeRun("mov.b32 %r5, 0x3C3C3C3C;\n mov.b32 %r6, 0x40404040;\n"
              "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 "
              "{%r1, %r2, %r3, %r4}, {%r5, %r5, %r5, %r5}, "
              "{%r6, %r6}, {0, 0, 0, 0};",
              0, {});
  EXPECT_EQ(take(run.runAll(), 128),
            std::vector<uint32_t>(128, toSingle(32 * 3)));
}

TEST(WarpProductOpsTest, FormsThatDoNotExist) {
  for (const char *form :
       {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32",
        "mma.sync.aligned.m16n8k16.row.col.f16.bf16.bf16.f16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16",
        "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        "mma.sync.aligned.m16n8k16.row.col.f32.s8.s8.f32",
        "mma.sync.aligned.m16n8k16.row.col"})
    EXPECT_THAT(KernelRun(std::string(form) + " {%r1}, {%r2}, {%r3}, {%r4};")
                    .getError(),
                HasSubstr("unknown instruction '" + std::string(form) + "'"));
  EXPECT_THAT(KernelRun("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                        "{%r1, %r2, %r3, %r4}, {%r5}, {%r6}, "
                        "{%r1, %r2, %r3, %r4};")
                  .getError(),
              HasSubstr("expected 2 registers of a matrix, got 1"));
}

TEST(WarpProductOpsTest, TakesTheWholeWarp) {
  KernelRun("setp.lt.u32 %p1, %r0, 16;\n mov.b32 %r1, 0;\n"
            "@%p1 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
            "{%r1, %r2, %r3, %r4}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, "
            "{%r1, %r1, %r1, %r1}; // here")
      .expectFinding(HasSubstr("some threads of the warp execute this"));
}

} // namespace
