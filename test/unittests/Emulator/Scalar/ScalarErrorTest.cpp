//===- ScalarErrorTest.cpp - Names that are no scalar form ----------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA has none of these forms, but those that are said not to be supported.
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;

namespace {

struct Row {
  const char *instruction, *why;
};

/// An instruction that is no form, and why it is none.
void expectErrors(llvm::ArrayRef<Row> rows) {
  for (auto [instruction, why] : rows) {
    StringRef name = StringRef(instruction).split(' ').first;
    EXPECT_EQ(KernelRun(instruction).getError(),
              ("5:1: unknown form '" + name + "': " + why).str());
  }
}

TEST(ScalarErrorTest, ApproximationsAreNamed) {
  expectErrors({
      {"ex2.f32 %f1, %f2;", "'.approx' is missing"},
      {"tanh.f16 %h1, %h2;", "'.approx' is missing"},
      {"ex2.approx.bf16 %h1, %h2;", "'.ftz' is missing"},
      {"div.f32 %f1, %f2, %f3;",
       "'.approx' or a rounding (.rn, .rz, .rm, .rp) is missing"},
      {"rcp.f64 %d1, %d2;",
       "'.approx' or a rounding (.rn, .rz, .rm, .rp) is missing"},
      {"sqrt.f32 %f1, %f2;",
       "'.approx' or a rounding (.rn, .rz, .rm, .rp) is missing"},
      {"div.full.rn.f32 %f1, %f2, %f3;", "an approximation has no rounding"},
  });
}

TEST(ScalarErrorTest, RoundingsOfArithmetic) {
  expectErrors({
      {"fma.f32 %f1, %f2, %f3, %f4;",
       "a rounding (.rn, .rz, .rm, .rp) is missing"},
      {"fma.f16 %h1, %h2, %h3, %h4;", "'.rn' is missing"},
      {"add.ftz.f64 %d1, %d2, %d3;", "these parts do not go together"},
  });
}

TEST(ScalarErrorTest, Conversions) {
  expectErrors({
      {"cvt.f32.f64 %f1, %d1;", "a rounding (.rn, .rz, .rm, .rp) is missing"},
      {"cvt.f32.s32 %f1, %r1;", "a rounding (.rn, .rz, .rm, .rp) is missing"},
      {"cvt.s32.f32 %r1, %f1;",
       "a rounding (.rni, .rzi, .rmi, .rpi) is missing"},
      {"cvt.rn.f64.f32 %d1, %f1;",
       "this conversion is exact and takes no rounding"},
      {"cvt.rni.f32.f64 %f1, %d1;", "integer rounding keeps the type"},
      {"cvt.sat.s64.s32 %rd3, %r1;", "'.sat' without effect"},
      {"cvt.rm.relu.f16.f32 %h1, %f1;",
       "'.relu' and '.satfinite' need '.rn' or '.rz'"},
      {"cvt.rn.relu.sat.f16.f32 %h1, %f1;",
       "'.relu' and '.satfinite' exclude '.ftz', '.sat'"},
  });
}

TEST(ScalarErrorTest, ConversionsOfSeveralNumbers) {
  expectErrors({
      {"cvt.f16x2.f32 %r1, %f1, %f2;", "'.rn' or '.rz' is missing"},
      {"cvt.rn.e4m3x2.f32 %h1, %f1, %f2;", "'.satfinite' is missing"},
      {"cvt.satfinite.e5m2x2.f32 %h1, %f1, %f2;", "'.rn' is missing"},
      {"cvt.rn.bf16x2.f16x2 %r1, %r2;", "these types do not go together"},
      {"cvt.tf32.f32 %r1, %f1;", "a rounding (.rna, .rn, .rz) is missing"},
      {"cvt.pack.u16.s32 %r1, %r2, %r3;", "'.sat' is missing"},
      {"cvt.pack.sat.s32 %r1, %r2, %r3;", "the type of the parts is missing"},
  });
}

TEST(ScalarErrorTest, Comparisons) {
  expectErrors({
      {"setp.lo.s32 %p1, %r1, %r2;", "'.lo' is for unsigned integers"},
      {"setp.lt.b32 %p1, %r1, %r2;", "bits have no order"},
      {"setp.num.s32 %p1, %r1, %r2;", "'.num' is for floats"},
      {"set.u32.f32 %r1, %f1, %f2;", "the comparison is missing"},
      {"testp.f32 %p1, %f1;", "the property is missing"},
  });
}

TEST(ScalarErrorTest, Extrema) {
  expectErrors({
      {"min.xorsign.abs.f32 %f1, %f2, %f3, %f4;",
       "'.xorsign' is for two operands"},
      {"max.abs.f32 %f1, %f2, %f3;", "'.xorsign' and '.abs' come together"},
      {"min.xorsign.f16 %h1, %h2, %h3;", "'.xorsign' and '.abs' come together"},
      {"max.relu.u16x2 %r1, %r2, %r3;", "'.relu' is for signed integers"},
  });
}

TEST(ScalarErrorTest, ProductsOfIntegers) {
  expectErrors({
      {"mul.s32 %r1, %r2, %r3;", "one of '.lo', '.hi' and '.wide' is missing"},
      {"mul.wide.s64 %rd3, %rd4, %rd5;", "'.wide' is for 16 and 32 bits"},
      {"mul24.s32 %r1, %r2, %r3;", "one of '.lo' and '.hi' is missing"},
      {"dp2a.s32.s32 %r1, %r2, %r3, %r4;", "one of '.lo' and '.hi' is missing"},
  });
}

TEST(ScalarErrorTest, Bits) {
  expectErrors({
      {"szext.u32 %r1, %r2, %r3;", "one of '.clamp' and '.wrap' is missing"},
      {"bmsk.b32 %r1, %r2, %r3;", "one of '.clamp' and '.wrap' is missing"},
      {"shf.l.b32 %r1, %r2, %r3, %r4;",
       "a direction and '.clamp' or '.wrap' are needed"},
      {"fns.b32 %r1, %r2, %r3, %r4;", "finding the n-th bit is not supported"},
      {"lop3.or.b32 %r1, %r2, %r3, %r4, 1, %p1;",
       "a predicate of the result is not supported"},
  });
}

TEST(ScalarErrorTest, TypesAndResults) {
  expectErrors({
      {"rem.f32 %f1, %f2, %f3;", "'rem' has no form with this type"},
      {"add.u8 %h1, %h2, %h3;", "'add' has no form with '.u8' here"},
      {"add %r1, %r2, %r3;", "a type that 'add' has a form for is missing"},
      {"add.s32 %r1|%p2, %r1, %r2;",
       "a second result ('a|b') is not supported"},
      {"add.cc.u32 %r1, %r2, %r3;", "the carry flag is not supported"},
      {"addc.u32 %r1, %r2, %r3;", "the carry flag is not supported"},
      {"add.wrong.u32 %r1, %r2, %r3;", "'.wrong' is not known here"},
      {"add.u32 %r1, %r2;", "takes 2 operands after the result, not 1"},
  });
}

} // namespace
