//===- ScalarFormsTest.cpp - Which instructions are scalar ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRun.h"

using namespace tessera;
using namespace tessera::emu;

namespace {

TEST(ScalarForms, OtherKindsAreNone) {
  for (const char *name : {"ld.global.b32", "st.shared.b32", "bar.sync", "bra",
                           "cvta.to.global.u64", "wgmma.fence.sync.aligned",
                           "atom.add.u32", "vadd.s32.s32.s32", "ad"}) {
    auto form = findScalarForm(*makeInstruction(name, 1));
    ASSERT_TRUE(bool(form)) << llvm::toString(form.takeError());
    EXPECT_FALSE(form->has_value()) << name;
  }
}

TEST(ScalarForms, MovesOfVectorsAreNone) {
  auto instruction = makeInstruction("mov.b64", 1);
  instruction->operands[1].kind = Operand::Vector;
  auto form = findScalarForm(*instruction);
  ASSERT_TRUE(bool(form));
  EXPECT_FALSE(form->has_value());
}

TEST(ScalarForms, NamesSayTypes) {
  auto form = getForm("mad.wide.s32", 3);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->result, Type::S64);
  EXPECT_EQ(form->operands,
            (SmallVector<Type, 3>{Type::S32, Type::S32, Type::S64}));
  form = getForm("setp.lt.and.f64", 3);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->result, Type::Pred);
  EXPECT_EQ(form->operands,
            (SmallVector<Type, 3>{Type::F64, Type::F64, Type::Pred}));
  form = getForm("cvt.s8.s32", 1);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->result, Type::S8);
  EXPECT_EQ(form->operands, (SmallVector<Type, 3>{Type::S32}));
  form = getForm("shl.b64", 2);
  ASSERT_TRUE(form);
  EXPECT_EQ(form->operands, (SmallVector<Type, 3>{Type::B64, Type::U32}));
}

TEST(ScalarForms, UnknownFormsSayWhat) {
  EXPECT_EQ(getError("add.foo.s32", 2),
            "unknown form 'add.foo.s32': '.foo' is not known here");
  EXPECT_EQ(getError("add.s32", 3), "unknown form 'add.s32': takes 2 operands "
                                    "after the result, not 3");
  EXPECT_EQ(getError("add.cc.u32", 2),
            "unknown form 'add.cc.u32': the carry flag is not supported");
  EXPECT_EQ(getError("add.pred", 2),
            "unknown form 'add.pred': 'add' has no form with '.pred' here");
  EXPECT_EQ(getError("add", 2), "unknown form 'add': a type that 'add' has a "
                                "form for is missing");
}

TEST(ScalarForms, SecondResultsAreRefused) {
  auto instruction = makeInstruction("setp.lt.s32", 2);
  instruction->operands[0].kind = Operand::Pair;
  auto form = findScalarForm(*instruction);
  ASSERT_FALSE(bool(form));
  EXPECT_EQ(llvm::toString(form.takeError()),
            "unknown form 'setp.lt.s32': a second result ('a|b') is not "
            "supported");
}

/// Forms that PTX does not have, and those that are not implemented.
TEST(ScalarForms, Refusals) {
  struct Case {
    const char *name;
    unsigned sources;
  };
  const Case cases[] = {
      {"addc.u32", 2},
      {"subc.cc.s32", 2},
      {"madc.lo.u32", 3},
      {"mad.lo.cc.u32", 3},
      {"sub.cc.u64", 2},
      {"add.sat.u32", 2},
      {"add.b32", 2},
      {"add.ftz.f64", 2},
      {"add.sat.f64", 2},
      {"add.rz.f16", 2},
      {"add.ftz.bf16", 2},
      {"add.rn.f32x2", 2},
      {"sub.u16x2", 2},
      {"mul.s32", 2},
      {"mul.wide.s64", 2},
      {"mul.lo.rn.f32", 2},
      {"mad.lo.sat.s32", 3},
      {"mad.hi.sat.u32", 3},
      {"mad.f32", 3},
      {"fma.f32", 3},
      {"fma.rn.s32", 3},
      {"fma.rn.oob.f16", 3},
      {"mul24.wide.s32", 2},
      {"abs.u32", 1},
      {"neg.b32", 1},
      {"min.relu.u32", 2},
      {"max.relu.u16x2", 2},
      {"max.xorsign.f32", 2},
      {"min.abs.f32", 2},
      {"max.NaN.f64", 2},
      {"min.xorsign.abs.f32", 3},
      {"div.f32", 2},
      {"div.approx.rn.f32", 2},
      {"div.approx.f64", 2},
      {"rem.f32", 2},
      {"rcp.f32", 1},
      {"rcp.approx.f64", 1},
      {"sqrt.approx.f64", 1},
      {"ex2.f32", 1},
      {"ex2.approx.bf16", 1},
      {"ex2.approx.ftz.f16", 1},
      {"tanh.approx.ftz.f32", 1},
      {"lg2.approx.f64", 1},
      {"sin.approx.s32", 1},
      {"and.u32", 2},
      {"not.s32", 1},
      {"cnot.pred", 1},
      {"shl.s32", 2},
      {"shf.l.b32", 3},
      {"popc.u32", 1},
      {"bfe.b32", 3},
      {"bfi.u32", 4},
      {"fns.b32", 3},
      {"lop3.or.b32", 5},
      {"prmt.b64", 3},
      {"prmt.b32.xyz", 3},
      {"setp.lt.b32", 2},
      {"setp.lo.s32", 2},
      {"setp.equ.s32", 2},
      {"setp.num.u32", 2},
      {"setp.f32", 2},
      {"setp.lt.ftz.s32", 2},
      {"setp.lt.ftz.f64", 2},
      {"setp.lt.f16x2", 2},
      {"setp.lt.and.s32", 2},
      {"setp.lt.s32", 3},
      {"set.lt.u64.s32", 2},
      {"set.lt.f16.f32", 2},
      {"selp.pred", 3},
      {"slct.b32.u32", 3},
      {"slct.b32.ftz.s32", 3},
      {"mov.b128", 1},
      {"mov.b8", 1},
      {"testp.zero.f32", 1},
      {"cvt.s32.f32", 1},
      {"cvt.f32.s32", 1},
      {"cvt.f32.f64", 1},
      {"cvt.rn.f64.f32", 1},
      {"cvt.rni.f32.f64", 1},
      {"cvt.rn.s32.f32", 1},
      {"cvt.rni.f32.s32", 1},
      {"cvt.sat.u64.u32", 1},
      {"cvt.sat.s32.u16", 1},
      {"cvt.ftz.f64.f16", 1},
      {"cvt.rn.sat.bf16.f32", 1},
      {"cvt.rm.relu.f16.f32", 1},
      {"cvt.rn.relu.f16.f64", 1},
      {"cvt.rn.f16x2.f32", 1},
      {"cvt.rm.f16x2.f32", 2},
      {"cvt.rn.e4m3x2.f32", 2},
      {"cvt.rn.bf16x2.e4m3x2", 1},
      {"cvt.rna.relu.tf32.f32", 1},
      {"cvt.pack.u8.s32.b32", 3},
      {"cvt.pack.sat.u8.s32", 2},
      {"cvt.b32.b16", 1},
      {"cvt.u32", 1},
      {"dp4a.u32", 3},
      {"dp2a.u32.u32", 3},
  };
  for (const Case &form : cases)
    EXPECT_NE(getError(form.name, form.sources), "") << form.name;
}

/// Any name is answered, and results have no bits above their type.
TEST(ScalarForms, RandomNames) {
  const char *roots[] = {
      "abs",   "add",  "and",  "bfe",      "bfi",  "bfind", "bmsk", "brev",
      "clz",   "cnot", "cvt",  "copysign", "cos",  "div",   "dp2a", "dp4a",
      "ex2",   "fma",  "lg2",  "lop3",     "mad",  "mad24", "max",  "min",
      "mov",   "mul",  "neg",  "mul24",    "not",  "or",    "popc", "prmt",
      "rcp",   "rem",  "sad",  "rsqrt",    "selp", "set",   "setp", "shf",
      "shl",   "shr",  "sin",  "slct",     "sqrt", "sub",   "xor",  "szext",
      "testp", "tanh", "addc", "fns"};
  const char *parts[] = {
      "u8",     "u16",     "u32",   "u64",    "s8",        "s16",    "s32",
      "s64",    "b16",     "b32",   "b64",    "pred",      "f16",    "f16x2",
      "bf16",   "f32",     "f64",   "tf32",   "bf16x2",    "u16x2",  "s16x2",
      "rn",     "rz",      "rm",    "rp",     "rni",       "rzi",    "rna",
      "ftz",    "sat",     "relu",  "approx", "satfinite", "full",   "lo",
      "hi",     "wide",    "clamp", "wrap",   "l",         "r",      "lt",
      "eq",     "geu",     "nan",   "and",    "xor",       "NaN",    "xorsign",
      "abs",    "f4e",     "ecl",   "pack",   "e4m3x2",    "e5m2x2", "normal",
      "finite", "shiftamt"};
  std::mt19937 engine(11);
  RandomWords random;
  unsigned found = 0;
  for (int i = 0; i < 300000; ++i) {
    std::string name = roots[engine() % std::size(roots)];
    for (unsigned count = 1 + engine() % 4; count; --count)
      name += std::string(".") + parts[engine() % std::size(parts)];
    auto form = findScalarForm(*makeInstruction(name, 1 + engine() % 4));
    if (!form) {
      llvm::consumeError(form.takeError());
      continue;
    }
    ASSERT_TRUE(*form) << name;
    ++found;
    for (int trial = 0; trial < 8; ++trial) {
      std::vector<uint64_t> words;
      for (Type type : (*form)->operands)
        words.push_back(random.get(getBits(type)));
      uint64_t result = (*form)->function(words.data());
      unsigned width = getBits((*form)->result);
      if (width < 64) {
        EXPECT_EQ(result >> width, 0u) << name;
      }
    }
  }
  EXPECT_GT(found, 800u);
}

} // namespace
