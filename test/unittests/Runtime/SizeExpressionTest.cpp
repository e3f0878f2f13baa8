//===- SizeExpressionTest.cpp - Expressions over sizes ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values, precedence, what is refused, and which expressions bind a name.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "gmock/gmock.h"

using namespace tessera::rt;
using testing::HasSubstr;

namespace {

/// Evaluates with M = 7, N = 64, Z = 0 and big.x = 2^62.
llvm::Expected<int64_t> evaluate(llvm::StringRef text) {
  llvm::Expected<SizeExpression> expression = SizeExpression::parse(text);
  if (!expression)
    return expression.takeError();
  return expression->evaluate([](llvm::StringRef name) {
    return llvm::StringSwitch<std::optional<int64_t>>(name)
        .Case("M", 7)
        .Case("N", 64)
        .Case("Z", 0)
        .Case("big.x", int64_t(1) << 62)
        .Default(std::nullopt);
  });
}

TEST(SizeExpression, Values) {
  std::pair<const char *, int64_t> cases[] = {
      {"42", 42},           {"M", 7},         {"M + 2 * N", 135},
      {"(M + 2) * N", 576}, {"M - 2 - 3", 2}, {"M - (2 - 3)", 8},
      {"-M + 1", -6},       {"- -M", 7},      {"N floordiv M * M", 63},
      {"M ceildiv 2", 4},   {"M mod 4", 3},   {"-M floordiv 2", -4},
      {"-M ceildiv 2", -3}, {"-M mod 4", 1},  {"big.x - 1 + big.x", INT64_MAX},
      {"  ( M )  ", 7},
  };
  for (const auto &[text, value] : cases)
    EXPECT_EQ(unwrap(evaluate(text)), value) << text;
}

TEST(SizeExpression, TextThatIsNoExpression) {
  std::pair<const char *, const char *> cases[] = {
      {"", "expected an integer, a name or '(' at position 0"},
      {"M +", "expected an integer, a name or '(' at position 3"},
      {"M N", "expected an operator or the end at position 2"},
      {"(M", "expected ')' at position 2"},
      {"M mod", "expected an integer, a name or '(' at position 5"},
      {"M mod * 2", "expected an integer, a name or '(' at position 6"},
      {"M / 2", "expected an operator or the end at position 2"},
      {"99999999999999999999", "expected an integer of 64 bits at position 0"},
  };
  for (const auto &[text, message] : cases)
    EXPECT_THAT(textOf(SizeExpression::parse(text)), HasSubstr(message))
        << text;
  std::string deep(100000, '(');
  EXPECT_THAT(textOf(SizeExpression::parse(deep)),
              HasSubstr("expected less nesting"));
  EXPECT_THAT(textOf(SizeExpression::parse(std::string(100000, '-'))),
              HasSubstr("expected less nesting"));
}

TEST(SizeExpression, ValuesThatDoNotExist) {
  EXPECT_EQ(textOf(evaluate("M + Q")),
            "size expression 'M + Q': 'Q' has no value");
  EXPECT_THAT(textOf(evaluate("M floordiv Z")),
              HasSubstr("the divisor is 0, but must be at least 1"));
  EXPECT_THAT(textOf(evaluate("M mod -1")), HasSubstr("the divisor is -1"));
  for (const char *text : {"big.x + big.x", "big.x * 2", "-big.x - big.x - 1",
                           "-(-big.x - big.x)"})
    EXPECT_THAT(textOf(evaluate(text)),
                HasSubstr("the value does not fit in 64 bits"))
        << text;
}

TEST(SizeExpression, Bindings) {
  EXPECT_EQ(size("M").getBinding(),
            std::make_pair(llvm::StringRef("M"), int64_t(0)));
  EXPECT_EQ(size("M + 1").getBinding()->second, 1);
  EXPECT_EQ(size("M - 3").getBinding()->second, -3);
  for (const char *text :
       {"1", "2 * M", "M * 2", "M + N", "1 + M", "-M", "M + 1 + 1"})
    EXPECT_FALSE(size(text).getBinding()) << text;
}

TEST(SizeExpression, InC) {
  auto format = [](llvm::StringRef text) {
    return size(text).formatC(
        [](llvm::StringRef name) { return "p->" + name.str(); });
  };
  EXPECT_EQ(format("M"), "p->M");
  EXPECT_EQ(format("2 * M - N"), "((INT64_C(2) * p->M) - p->N)");
  EXPECT_EQ(format("-M + 1"), "((-p->M) + INT64_C(1))");
  EXPECT_EQ(format("M ceildiv 4 mod (N floordiv 2)"),
            "tessera_mod(tessera_ceildiv(p->M, INT64_C(4)), "
            "tessera_floordiv(p->N, INT64_C(2)))");
}

} // namespace
