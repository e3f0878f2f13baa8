//===- ApproximateFormsTest.cpp - Approximate functions ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compared with long double, which on x86 has 11 bits more than the f64 that
// the code under test uses; where it has not, the test shows less.
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

#include <cmath>
#include <map>

using namespace tessera;
using namespace tessera::emu;

namespace {

constexpr uint64_t kNaN32 = 0x7fffffff;

using Exact = long double (*)(long double);

void check(StringRef name, Exact exact, float from, float to) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<float> distribution(from, to);
  unsigned wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    float x = distribution(engine);
    uint64_t expected = bits(static_cast<float>(exact(x)));
    uint64_t actual = run(name, {bits(x)});
    // f64 is itself rounded, which shows once in millions.
    if (actual != expected)
      ++wrong;
    EXPECT_NEAR(double(actual), double(expected), 1) << name.str() << " " << x;
  }
  EXPECT_LE(wrong, 1u) << name.str();
}

long double takeReciprocalRoot(long double x) { return 1 / std::sqrt(x); }
long double takeReciprocal(long double x) { return 1 / x; }

TEST(ApproximateForms, AreCorrectlyRounded) {
  check("ex2.approx.ftz.f32", exp2l, -120, 120);
  check("ex2.approx.f32", exp2l, -150, 1);
  check("lg2.approx.ftz.f32", log2l, 1e-30f, 4);
  check("lg2.approx.f32", log2l, 0.999f, 1.001f);
  check("sin.approx.f32", sinl, -300, 300);
  check("cos.approx.ftz.f32", cosl, -300, 300);
  check("tanh.approx.f32", tanhl, -5, 5);
  check("rsqrt.approx.f32", takeReciprocalRoot, 1e-30f, 100);
  check("rsqrt.approx.ftz.f32", takeReciprocalRoot, 1, 1e30f);
  check("rcp.approx.ftz.f32", takeReciprocal, 1, 1000);
  check("sqrt.approx.f32", sqrtl, 0, 1000);
}

/// PTX ISA, the table of each section.
TEST(ApproximateForms, SpecialOperands) {
  uint64_t plus = bits(INFINITY), minus = bits(-INFINITY), zero = 0,
           minusZero = bits(-0.0f), one = bits(1.0f), subnormal = 5,
           minusSubnormal = 0x80000005;
  EXPECT_EQ(run("ex2.approx.f32", {minus}), zero);
  EXPECT_EQ(run("ex2.approx.f32", {plus}), plus);
  EXPECT_EQ(run("ex2.approx.ftz.f32", {minusSubnormal}), one);
  EXPECT_EQ(run("ex2.approx.ftz.f32", {minusZero}), one);
  EXPECT_EQ(run("ex2.approx.ftz.f32", {0xff800001}), kNaN32);
  EXPECT_EQ(run("ex2.approx.ftz.f32", {bits(-126.0f)}), bits(0x1p-126f));
  EXPECT_EQ(run("ex2.approx.ftz.f32", {bits(-127.0f)}), zero);
  EXPECT_EQ(run("ex2.approx.f32", {bits(-127.0f)}), 0x00400000u);
  EXPECT_EQ(run("ex2.approx.f32", {bits(128.0f)}), plus);

  EXPECT_EQ(run("lg2.approx.f32", {zero}), minus);
  EXPECT_EQ(run("lg2.approx.f32", {minusZero}), minus);
  EXPECT_EQ(run("lg2.approx.ftz.f32", {minusSubnormal}), minus);
  EXPECT_EQ(run("lg2.approx.ftz.f32", {subnormal}), minus);
  EXPECT_EQ(run("lg2.approx.f32", {1}), bits(-149.0f));
  EXPECT_EQ(run("lg2.approx.f32", {bits(-1.0f)}), kNaN32);
  EXPECT_EQ(run("lg2.approx.f32", {plus}), plus);
  EXPECT_EQ(run("lg2.approx.f32", {one}), zero);

  EXPECT_EQ(run("rsqrt.approx.f32", {minusZero}), minus);
  EXPECT_EQ(run("rsqrt.approx.f32", {zero}), plus);
  EXPECT_EQ(run("rsqrt.approx.ftz.f32", {minusSubnormal}), minus);
  EXPECT_EQ(run("rsqrt.approx.f32", {plus}), zero);
  EXPECT_EQ(run("rsqrt.approx.f32", {bits(-1.0f)}), kNaN32);
  EXPECT_EQ(run("rcp.approx.f32", {minus}), minusZero);
  EXPECT_EQ(run("rcp.approx.ftz.f32", {minusSubnormal}), minus);
  EXPECT_EQ(run("rcp.approx.ftz.f32", {bits(0x1.8p126f)}), zero);
  EXPECT_EQ(run("rcp.approx.f32", {bits(0x1p127f)}), 0x00400000u);
  EXPECT_EQ(run("sqrt.approx.f32", {minusZero}), minusZero);
  EXPECT_EQ(run("sqrt.approx.ftz.f32", {minusSubnormal}), minusZero);
  EXPECT_EQ(run("sqrt.approx.f32", {minus}), kNaN32);

  EXPECT_EQ(run("sin.approx.f32", {minusZero}), minusZero);
  EXPECT_EQ(run("sin.approx.ftz.f32", {minusSubnormal}), minusZero);
  EXPECT_EQ(run("sin.approx.f32", {plus}), kNaN32);
  EXPECT_EQ(run("cos.approx.f32", {minusZero}), one);
  EXPECT_EQ(run("cos.approx.f32", {minus}), kNaN32);
  EXPECT_EQ(run("tanh.approx.f32", {minus}), bits(-1.0f));
  EXPECT_EQ(run("tanh.approx.f32", {minusSubnormal}), minusSubnormal);
  EXPECT_EQ(run("tanh.approx.f32", {minusZero}), minusZero);
}

TEST(ApproximateForms, Division) {
  uint64_t one = bits(1.0f), three = bits(3.0f), large = bits(0x1.8p126f);
  EXPECT_EQ(run("div.full.f32", {one, three}), bits(1.0f / 3.0f));
  EXPECT_EQ(run("div.approx.f32", {one, three}), bits(1.0f / 3.0f));
  EXPECT_EQ(run("div.approx.f32", {one, bits(0x1p126f)}), bits(0x1p-126f));
  // Above 2^126 div.approx gives zero, of infinity NaN; div.full does not.
  EXPECT_EQ(run("div.approx.f32", {large, large}), 0u);
  EXPECT_EQ(run("div.approx.f32", {large, large | 0x80000000}), bits(-0.0f));
  EXPECT_EQ(run("div.approx.f32", {bits(INFINITY), large}), kNaN32);
  EXPECT_EQ(run("div.full.f32", {large, large}), one);
  EXPECT_EQ(run("div.full.f32", {bits(INFINITY), large}), bits(INFINITY));
  EXPECT_EQ(run("div.approx.f32", {one, bits(INFINITY)}), 0u);
  EXPECT_EQ(run("div.full.f32", {bits(-1.0f), 0}), bits(-INFINITY));
  EXPECT_EQ(run("div.approx.ftz.f32", {one, 5}), bits(INFINITY));
  EXPECT_EQ(run("div.full.ftz.f32", {5, one}), 0u);
}

TEST(ApproximateForms, F64) {
  // 1 / 3 is 0x3fd5555555555555, and 1 / 5 is 0x3fc999999999999a.
  EXPECT_EQ(run("rcp.approx.ftz.f64", {bits(5.0)}), 0x3fc9999a00000000u);
  EXPECT_EQ(run("rcp.approx.ftz.f64", {bits(3.0)}), 0x3fd5555500000000u);
  // The lower word of the operand does not count.
  EXPECT_EQ(run("rcp.approx.ftz.f64", {bits(3.0) | 0xffffffff}),
            0x3fd5555500000000u);
  EXPECT_EQ(run("rcp.approx.ftz.f64", {bits(-0.25)}), bits(-4.0));
  EXPECT_EQ(run("rcp.approx.ftz.f64", {bits(-0.0)}), bits(double(-INFINITY)));
  EXPECT_EQ(run("rcp.approx.ftz.f64", {0x000fffffffffffff}),
            bits(double(INFINITY)));
  EXPECT_EQ(run("rcp.approx.ftz.f64", {bits(0x1.8p1023)}), 0u);
  EXPECT_EQ(run("rcp.approx.ftz.f64", {0x7ff8000000000000}),
            0x7fffffff00000000u);
  EXPECT_EQ(run("rsqrt.approx.ftz.f64", {bits(4.0)}), bits(0.5));
  EXPECT_EQ(run("rsqrt.approx.ftz.f64", {bits(-4.0)}), 0x7fffffff00000000u);
  EXPECT_EQ(run("rsqrt.approx.f64", {bits(0.25)}), bits(2.0));
  EXPECT_EQ(run("rsqrt.approx.f64", {bits(-0.0)}), bits(double(-INFINITY)));
}

TEST(ApproximateForms, ErrorsAreListed) {
  std::map<std::string, unsigned> names;
  StringRef last;
  for (const ApproximateFunction &function : getApproximateFunctions()) {
    EXPECT_LE(last, function.name);
    last = function.name;
    EXPECT_GT(function.error, 0);
    EXPECT_LT(function.from, function.to);
    std::string name = function.name.str();
    // bf16 exists with `.ftz` only.
    if (name == "ex2.approx.bf16")
      name = "ex2.approx.ftz.bf16";
    EXPECT_EQ(getError(name, function.name.starts_with("div") ? 2 : 1), "");
    ++names[name];
  }
  for (const char *name :
       {"ex2.approx.f32", "lg2.approx.f32", "sin.approx.f32", "cos.approx.f32",
        "tanh.approx.f32", "rcp.approx.f32", "rsqrt.approx.f32",
        "sqrt.approx.f32", "div.approx.f32", "div.full.f32"})
    EXPECT_TRUE(names.count(name)) << name;
}

} // namespace
