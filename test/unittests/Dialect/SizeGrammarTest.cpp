//===- SizeGrammarTest.cpp - Sizes in compiler and runtime ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler prints sizes that the runtime parses. There are two parsers of
// one grammar, since the runtime has no MLIR; here they are held together, on
// texts that are made from the grammar and broken at random.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Runtime/SizeExpression.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <random>

using namespace tessera;
using rt::SizeExpression;

namespace {

class SizeGrammarTest : public ::testing::Test {
protected:
  SizeGrammarTest() {
    context.loadDialect<tile::TileDialect>();
    context.getDiagEngine().registerHandler([](Diagnostic &) {});
  }

  tile::SizeAttr parse(StringRef text) {
    std::string attribute = ("#tile.size<" + text + ">").str();
    return dyn_cast_if_present<tile::SizeAttr>(
        parseAttribute(attribute, &context));
  }

  unsigned pick(unsigned count) { return random() % count; }

  std::string makeFactor(unsigned depth) {
    static const char *const atoms[] = {"M", "N", "K.1", "_x$", "mod", "0",
                                        "1", "2", "7",   "64",  "M",   "N"};
    switch (depth ? pick(6) : 5) {
    case 0:
      return "-" + makeFactor(depth - 1);
    case 1:
    case 2:
      return "(" + makeSum(depth - 1) + ")";
    default:
      return atoms[pick(std::size(atoms))];
    }
  }

  std::string makeTerm(unsigned depth) {
    static const char *const operators[] = {" * ", " floordiv ", " ceildiv ",
                                            " mod ", "*"};
    std::string text = makeFactor(depth);
    for (unsigned i = pick(3); i > 0; --i)
      text += operators[pick(std::size(operators))] + makeFactor(depth);
    return text;
  }

  std::string makeSum(unsigned depth) {
    static const char *const operators[] = {" + ", " - ", "+"};
    std::string text = makeTerm(depth);
    for (unsigned i = pick(3); i > 0; --i)
      text += operators[pick(std::size(operators))] + makeTerm(depth);
    return text;
  }

  /// Takes something out of `text` or puts something in.
  std::string breakText(std::string text) {
    static const char pieces[] = "()+-*M7 /";
    unsigned position = pick(text.size());
    if (pick(2))
      text.erase(position, 1);
    else
      text.insert(position, 1, pieces[pick(sizeof(pieces) - 1)]);
    return text;
  }

  /// Compares the values for a few assignments to the names.
  void compareValues(tile::SizeAttr attribute, const SizeExpression &expression,
                     StringRef text, bool isPrinted) {
    for (int64_t seed : {0, 1, 3, 10}) {
      auto lookup = [&](StringRef name) {
        return std::optional<int64_t>(seed * (name.size() + name[0]) % 41 +
                                      seed % 2);
      };
      std::optional<int64_t> inCompiler = attribute.evaluate(lookup);
      llvm::Expected<int64_t> inRuntime = expression.evaluate(lookup);
      if (inRuntime) {
        EXPECT_EQ(inCompiler, *inRuntime)
            << text.str() << " as " << attribute.str();
        continue;
      }
      // The compiler simplifies first, and may drop a division by zero.
      EXPECT_TRUE(!isPrinted || !inCompiler) << text.str();
      llvm::consumeError(inRuntime.takeError());
    }
  }

  void compare(StringRef text) {
    tile::SizeAttr attribute = parse(text);
    llvm::Expected<SizeExpression> expression = SizeExpression::parse(text);
    if (!expression) {
      llvm::consumeError(expression.takeError());
      EXPECT_FALSE(attribute) << text.str();
      ++refused;
      return;
    }
    if (!attribute) {
      // The one difference: the compiler refuses a constant divisor below 1 at
      // once, and the runtime when it divides.
      auto one = [](StringRef) { return std::optional<int64_t>(1); };
      llvm::Expected<int64_t> value = expression->evaluate(one);
      EXPECT_FALSE(bool(value)) << text.str();
      if (!value)
        llvm::consumeError(value.takeError());
      return;
    }
    ++accepted;
    compareValues(attribute, *expression, text, /*isPrinted=*/false);
    std::string printed = attribute.str();
    llvm::Expected<SizeExpression> again = SizeExpression::parse(printed);
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    compareValues(attribute, *again, printed, /*isPrinted=*/true);
  }

  MLIRContext context;
  std::mt19937 random{7};
  unsigned accepted = 0, refused = 0;
};

TEST_F(SizeGrammarTest, MadeTexts) {
  for (unsigned i = 0; i < 3000; ++i)
    compare(makeSum(i % 4));
  EXPECT_GT(accepted, 1000u);
}

TEST_F(SizeGrammarTest, BrokenTexts) {
  for (unsigned i = 0; i < 3000; ++i)
    compare(breakText(makeSum(i % 3)));
  EXPECT_GT(accepted, 300u);
  EXPECT_GT(refused, 300u);
}

TEST_F(SizeGrammarTest, ChosenTexts) {
  for (const char *text : {"",
                           " ",
                           "mod",
                           "mod mod mod",
                           "floordiv",
                           "M mod",
                           "9223372036854775807",
                           "9223372036854775808",
                           "1.5",
                           "M / 2",
                           "M,",
                           "M N",
                           "2 M",
                           "M2",
                           "_",
                           "$",
                           "M$",
                           "M.",
                           ".M",
                           "-M",
                           "- -M",
                           "--M",
                           "+M",
                           "()",
                           "(M)",
                           "((M)",
                           "M))"})
    compare(text);
  for (unsigned depth : {1, 60, 62, 63, 64, 65, 70}) {
    compare(std::string(depth, '(') + "M" + std::string(depth, ')'));
    compare(std::string(depth, '-') + "M");
  }
}

} // namespace
