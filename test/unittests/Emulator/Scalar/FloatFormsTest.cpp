//===- FloatFormsTest.cpp - Arithmetic of f32 and f64 -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Roundings are compared with those of the host's own instructions, which the
// code under test uses for rounding to nearest only.
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

#include <cfenv>
#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::emu;

namespace {

constexpr uint64_t kNaN32 = 0x7fffffff, kInfinity32 = 0x7f800000;
constexpr uint64_t kInfinity64 = 0x7ff0000000000000;
/// The least normal and the largest subnormal numbers.
constexpr uint64_t kLeast32 = 0x00800000, kSubnormal32 = 0x007fffff;

/// Numbers of all magnitudes, or near to each other.
template <typename T>
class RandomFloats {
public:
  T get() {
    uint64_t word = engine();
    if (engine() % 3 == 0) {
      // Around one, so that sums cancel.
      T value = T(1) + T(int64_t(word % 8191) - 4095) *
                           std::numeric_limits<T>::epsilon();
      return word >> 63 ? -value : value;
    }
    if constexpr (sizeof(T) == 4)
      return toFloat(word);
    else
      return toDouble(word);
  }

private:
  std::mt19937_64 engine{99};
};

struct Mode {
  const char *name;
  int host;
};
constexpr Mode kModes[] = {{"rn", FE_TONEAREST},
                           {"rz", FE_TOWARDZERO},
                           {"rm", FE_DOWNWARD},
                           {"rp", FE_UPWARD}};

template <typename T>
[[gnu::noinline]] T computeOnHost(char operation, int mode, T x, T y, T z) {
  volatile T a = x, b = y, c = z, result = 0;
  std::fesetround(mode);
  switch (operation) {
  case '+':
    result = a + b;
    break;
  case '-':
    result = a - b;
    break;
  case '*':
    result = a * b;
    break;
  case '/':
    result = a / b;
    break;
  case 'f':
    result = std::fma(a, b, c);
    break;
  case 's':
    result = std::sqrt(a);
    break;
  }
  std::fesetround(FE_TONEAREST);
  return result;
}

template <typename T>
void checkAll(StringRef type) {
  RandomFloats<T> random;
  for (const Mode &mode : kModes) {
    std::string suffix = std::string(".") + mode.name + "." + type.str();
    for (int i = 0; i < 20000; ++i) {
      T a = random.get(), b = random.get(), c = random.get();
      if (i % 3 == 0)
        c = -a * b; // Cancels except for the rounding error.
      auto check = [&](char operation, const char *root,
                       std::initializer_list<uint64_t> words) {
        T expected = computeOnHost(operation, mode.host, a, b, c);
        uint64_t actual = run(root + suffix, words);
        if (std::isnan(expected)) {
          T value = sizeof(T) == 4 ? T(toFloat(actual)) : T(toDouble(actual));
          EXPECT_TRUE(std::isnan(value));
          return;
        }
        EXPECT_EQ(actual, bits(expected))
            << root << suffix << " " << a << " " << b << " " << c;
      };
      check('+', "add", {bits(a), bits(b)});
      check('-', "sub", {bits(a), bits(b)});
      check('*', "mul", {bits(a), bits(b)});
      check('/', "div", {bits(a), bits(b)});
      check('f', "fma", {bits(a), bits(b), bits(c)});
      check('f', "mad", {bits(a), bits(b), bits(c)});
      check('s', "sqrt", {bits(a)});
      T quotient = computeOnHost<T>('/', mode.host, 1, a, 0);
      if (!std::isnan(quotient)) {
        EXPECT_EQ(run("rcp" + suffix, {bits(a)}), bits(quotient));
      }
    }
  }
}

TEST(FloatForms, RoundsF32) { checkAll<float>("f32"); }
TEST(FloatForms, RoundsF64) { checkAll<double>("f64"); }

TEST(FloatForms, RoundsToNearestByDefault) {
  EXPECT_EQ(run("add.f32", {bits(1.0f), bits(0x1p-24f)}), bits(1.0f));
  EXPECT_EQ(run("add.rp.f32", {bits(1.0f), bits(0x1p-24f)}), 0x3f800001u);
  EXPECT_EQ(run("mul.f64", {bits(3.0), bits(0.5)}), bits(1.5));
  EXPECT_EQ(run("sub.f32", {bits(1.0f), bits(3.0f)}), bits(-2.0f));
}

TEST(FloatForms, SignsOfZero) {
  uint64_t minus = bits(-0.0f), plus = bits(0.0f), one = bits(1.0f),
           minusOne = bits(-1.0f);
  EXPECT_EQ(run("add.rn.f32", {one, minusOne}), plus);
  EXPECT_EQ(run("add.rm.f32", {one, minusOne}), minus);
  EXPECT_EQ(run("add.rm.f32", {plus, plus}), plus);
  EXPECT_EQ(run("add.rn.f32", {minus, minus}), minus);
  EXPECT_EQ(run("add.rn.f32", {plus, minus}), plus);
  EXPECT_EQ(run("fma.rm.f32", {one, one, minusOne}), minus);
  EXPECT_EQ(run("mul.rz.f32", {minus, one}), minus);
  EXPECT_EQ(run("sqrt.rn.f32", {minus}), minus);
}

TEST(FloatForms, CanonicalNaNs) {
  uint64_t infinity = bits(INFINITY), zero = 0, signalling = 0xff800001;
  EXPECT_EQ(run("add.f32", {infinity, bits(-INFINITY)}), kNaN32);
  EXPECT_EQ(run("add.rz.f32", {infinity, bits(-INFINITY)}), kNaN32);
  EXPECT_EQ(run("mul.f32", {infinity, zero}), kNaN32);
  EXPECT_EQ(run("fma.rn.f32", {signalling, zero, zero}), kNaN32);
  EXPECT_EQ(run("div.rn.f32", {zero, zero}), kNaN32);
  EXPECT_EQ(run("sqrt.rn.f32", {bits(-1.0f)}), kNaN32);
  EXPECT_EQ(run("rcp.rn.f32", {signalling}), kNaN32);
  // Payloads of f64 go on, quiet; new ones are the negative quiet NaN.
  EXPECT_EQ(run("add.f64", {0x7ff0000000001234, bits(1.0)}),
            0x7ff8000000001234u);
  EXPECT_EQ(run("mul.rz.f64", {bits(1.0), 0xfff8000000000007}),
            0xfff8000000000007u);
  EXPECT_EQ(run("add.f64", {kInfinity64, kInfinity64 | uint64_t(1) << 63}),
            0xfff8000000000000u);
  EXPECT_EQ(run("div.rp.f64", {0, 0}), 0xfff8000000000000u);
  // The order of two payloads does not matter.
  EXPECT_EQ(run("add.f64", {0x7ff8000000000000, 0xfff8000000000000}),
            run("add.f64", {0xfff8000000000000, 0x7ff8000000000000}));
}

TEST(FloatForms, Flushes) {
  uint64_t negative = kSubnormal32 | 0x80000000;
  EXPECT_EQ(run("add.f32", {kSubnormal32, 0}), kSubnormal32);
  EXPECT_EQ(run("add.ftz.f32", {kSubnormal32, 0}), 0u);
  EXPECT_EQ(run("add.ftz.f32", {negative, bits(-0.0f)}), bits(-0.0f));
  EXPECT_EQ(run("mul.ftz.f32", {kLeast32, bits(-0.5f)}), bits(-0.0f));
  EXPECT_EQ(run("mul.f32", {kLeast32, bits(0.5f)}), 0x00400000u);
  EXPECT_EQ(run("fma.rn.ftz.f32", {kSubnormal32, bits(0x1p100f), bits(1.0f)}),
            bits(1.0f));
  EXPECT_EQ(run("rcp.rn.ftz.f32", {kSubnormal32}), kInfinity32);
  EXPECT_EQ(run("sqrt.rn.ftz.f32", {negative}), bits(-0.0f));
  EXPECT_EQ(run("div.rn.ftz.f32", {kLeast32, bits(2.0f)}), 0u);
  EXPECT_EQ(run("add.f64", {1, 0}), 1u);
}

TEST(FloatForms, Saturates) {
  EXPECT_EQ(run("add.sat.f32", {bits(0.75f), bits(0.75f)}), bits(1.0f));
  EXPECT_EQ(run("add.sat.f32", {bits(0.25f), bits(0.5f)}), bits(0.75f));
  EXPECT_EQ(run("sub.sat.f32", {bits(0.25f), bits(0.5f)}), 0u);
  EXPECT_EQ(run("mul.sat.f32", {bits(INFINITY), 0}), 0u);
  EXPECT_EQ(run("mul.sat.f32", {bits(-0.0f), bits(1.0f)}), 0u);
  EXPECT_EQ(run("mul.sat.f32", {bits(INFINITY), bits(2.0f)}), bits(1.0f));
  EXPECT_EQ(run("fma.rz.ftz.sat.f32", {bits(2.0f), bits(2.0f), 0}), bits(1.0f));
}

TEST(FloatForms, Signs) {
  EXPECT_EQ(run("abs.f32", {bits(-1.5f)}), bits(1.5f));
  EXPECT_EQ(run("neg.f32", {0}), bits(-0.0f));
  EXPECT_EQ(run("abs.ftz.f32", {kSubnormal32 | 0x80000000}), 0u);
  EXPECT_EQ(run("neg.ftz.f32", {kSubnormal32}), bits(-0.0f));
  EXPECT_EQ(run("neg.f32", {kSubnormal32}), kSubnormal32 | 0x80000000);
  EXPECT_EQ(run("neg.f64", {bits(2.0)}), bits(-2.0));
  EXPECT_EQ(run("abs.f64", {0xfff0000000000001}), 0x7ff0000000000001u);
  EXPECT_EQ(run("copysign.f32", {bits(-0.0f), bits(3.0f)}), bits(-3.0f));
  EXPECT_EQ(run("copysign.f64", {bits(1.0), bits(-3.0)}), bits(3.0));
}

TEST(FloatForms, Extrema) {
  uint64_t one = bits(1.0f), two = bits(2.0f), nan = 0x7fc00000;
  EXPECT_EQ(run("min.f32", {one, two}), one);
  EXPECT_EQ(run("max.f32", {one, two}), two);
  EXPECT_EQ(run("min.f32", {0, bits(-0.0f)}), bits(-0.0f));
  EXPECT_EQ(run("min.f32", {bits(-0.0f), 0}), bits(-0.0f));
  EXPECT_EQ(run("max.f32", {bits(-0.0f), 0}), 0u);
  EXPECT_EQ(run("max.f32", {0, bits(-0.0f)}), 0u);
  EXPECT_EQ(run("max.f32", {nan, one}), one);
  EXPECT_EQ(run("min.f32", {one, nan}), one);
  EXPECT_EQ(run("min.f32", {nan, nan}), kNaN32);
  EXPECT_EQ(run("max.NaN.f32", {nan, one}), kNaN32);
  EXPECT_EQ(run("max.NaN.f32", {one, nan}), kNaN32);
  EXPECT_EQ(run("max.NaN.f32", {one, two}), two);
  EXPECT_EQ(run("max.ftz.f32", {kSubnormal32, 0}), 0u);
  EXPECT_EQ(run("max.f32", {kSubnormal32, 0}), kSubnormal32);
  EXPECT_EQ(run("min.f64", {bits(-1.0), bits(0.0)}), bits(-1.0));
  EXPECT_EQ(run("max.f64", {0x7ff8000000000000, bits(0.5)}), bits(0.5));
  // Magnitudes, and the product's sign.
  EXPECT_EQ(run("min.xorsign.abs.f32", {bits(-1.0f), two}), bits(-1.0f));
  EXPECT_EQ(run("min.xorsign.abs.f32", {bits(-1.0f), bits(-2.0f)}), one);
  EXPECT_EQ(run("max.xorsign.abs.f32", {one, bits(-2.0f)}), bits(-2.0f));
  EXPECT_EQ(run("max.xorsign.abs.f32", {bits(-2.0f), nan}), bits(-2.0f));
  EXPECT_EQ(run("max.NaN.xorsign.abs.f32", {bits(-2.0f), nan}), kNaN32);
  // Three operands.
  EXPECT_EQ(run("max.f32", {one, bits(3.0f), two}), bits(3.0f));
  EXPECT_EQ(run("min.NaN.f32", {one, two, nan}), kNaN32);
  EXPECT_EQ(run("min.f32", {nan, nan, two}), two);
  EXPECT_EQ(run("min.abs.f32", {bits(-3.0f), bits(-1.0f), two}), one);
}

TEST(FloatForms, Tests) {
  struct Case {
    uint64_t single, wide;
    bool finite, infinite, number, normal, subnormal;
  };
  const Case cases[] = {
      {bits(1.0f), bits(1.0), true, false, true, true, false},
      {bits(-0.0f), bits(-0.0), true, false, true, true, false},
      {1, 1, true, false, true, false, true},
      {kInfinity32, kInfinity64, false, true, true, false, false},
      {kNaN32, kInfinity64 | 1, false, false, false, false, false},
  };
  for (const Case &c : cases)
    for (bool isWide : {false, true}) {
      std::string type = isWide ? ".f64" : ".f32";
      uint64_t word = isWide ? c.wide : c.single;
      EXPECT_EQ(run("testp.finite" + type, {word}), c.finite);
      EXPECT_EQ(run("testp.infinite" + type, {word}), c.infinite);
      EXPECT_EQ(run("testp.number" + type, {word}), c.number);
      EXPECT_EQ(run("testp.notanumber" + type, {word}), !c.number);
      EXPECT_EQ(run("testp.normal" + type, {word}), c.normal);
      EXPECT_EQ(run("testp.subnormal" + type, {word}), c.subnormal);
    }
}

} // namespace
