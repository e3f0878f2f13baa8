//===- TileSizeTest.cpp - Size expressions ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"

using namespace tessera;
using namespace tessera::tile;
using ::testing::Optional;

namespace {

class TileSizeTest : public ::testing::Test {
protected:
  TileSizeTest() {
    context.loadDialect<TileDialect>();
    context.getDiagEngine().registerHandler([](Diagnostic &) {});
  }

  SizeAttr parse(StringRef expression) {
    std::string text = ("#tile.size<" + expression + ">").str();
    return dyn_cast_if_present<SizeAttr>(parseAttribute(text, &context));
  }

  /// The value of `expression` for M = 7, N = 3.
  std::optional<int64_t> evaluate(StringRef expression) {
    return parse(expression)
        .evaluate([](StringRef name) -> std::optional<int64_t> {
          if (name == "M")
            return 7;
          if (name == "N")
            return 3;
          return std::nullopt;
        });
  }

  MLIRContext context;
};

TEST_F(TileSizeTest, PrintsWhatItParses) {
  for (StringRef text :
       {"M", "0", "-5", "M + 1", "M - 1", "N - M", "(M + N) * 2", "M * N",
        "M floordiv 4", "(M + 3) floordiv N", "M ceildiv (N + 1)",
        "(M - N) mod 8", "M * 2 - N * 3"}) {
    SizeAttr size = parse(text);
    ASSERT_TRUE(size) << text.str();
    EXPECT_EQ(parse(size.str()), size) << text.str() << " -> " << size.str();
  }
  EXPECT_EQ(parse("N - M").str(), "N - M");
  EXPECT_EQ(parse("M - 1").str(), "M - 1");
}

TEST_F(TileSizeTest, NormalisesSymbols) {
  EXPECT_EQ(parse("M - M + N"), parse("N"));
  EXPECT_EQ(parse("M * 0"), parse("0"));
  EXPECT_EQ(parse("M + 2 + 3"), parse("M + 5"));
  EXPECT_EQ(parse("M + N").getSymbols().size(), 2u);
}

TEST_F(TileSizeTest, KnowsConstantsSymbolsAndOffsets) {
  EXPECT_THAT(parse("4 * 8").getConstantValue(), Optional(32));
  EXPECT_FALSE(parse("M").getConstantValue());
  EXPECT_EQ(parse("M").getSingleSymbol().getValue(), "M");
  EXPECT_FALSE(parse("M + 1").getSingleSymbol());
  EXPECT_THAT(parse("M").getOffsetFromSymbol(), Optional(0));
  EXPECT_THAT(parse("M - 4").getOffsetFromSymbol(), Optional(-4));
  EXPECT_FALSE(parse("M * 2").getOffsetFromSymbol());
  EXPECT_FALSE(parse("M + N").getOffsetFromSymbol());
}

TEST_F(TileSizeTest, Evaluates) {
  EXPECT_THAT(evaluate("M * N - 1"), Optional(20));
  EXPECT_THAT(evaluate("M ceildiv N"), Optional(3));
  EXPECT_THAT(evaluate("M floordiv N"), Optional(2));
  EXPECT_THAT(evaluate("(0 - M) floordiv N"), Optional(-3));
  EXPECT_THAT(evaluate("(0 - M) mod N"), Optional(2));
  EXPECT_FALSE(evaluate("K + 1"));
  EXPECT_FALSE(evaluate("M floordiv (N - 3)"));
  EXPECT_FALSE(evaluate("M * 9223372036854775807"));
}

TEST_F(TileSizeTest, RefusesWhatIsNoSize) {
  for (StringRef text : {"", "M +", "M floordiv 0", "M mod (-1)", "(M", "1.5"})
    EXPECT_FALSE(parse(text)) << text.str();
  std::string deep(500, '(');
  EXPECT_FALSE(parse(deep + "M" + std::string(500, ')')));
}

} // namespace
