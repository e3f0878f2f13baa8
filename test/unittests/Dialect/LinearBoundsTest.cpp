//===- LinearBoundsTest.cpp - Linear bounds of positions --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"

using namespace tessera;
using namespace tessera::tile;

namespace {

/// Parses the body of a kernel over x: [N, 2 * N], cu: [B + 1], with the scalar
/// parameters w: i32 and p: index and a grid of tiles of 32 of N and of h in N.
/// Ops are found by their attribute `name`.
class LinearBoundsTest : public ::testing::Test {
protected:
  LinearBoundsTest() {
    context.loadDialect<TileDialect, arith::ArithDialect, scf::SCFDialect,
                        tensor::TensorDialect>();
  }

  void parse(StringRef body) {
    std::string text =
        ("tile.kernel @f(%x: !tile.global<[N, 2 * N] x f32>, %cu: "
         "!tile.global<[B + 1] x i32>, %w: i32, %p: index) grid(%m in "
         "tiles(N, 32), %h in N) {\n"
         "  %c0 = arith.constant 0 : index\n"
         "  %c64 = arith.constant 64 : index\n" +
         body + "\n}")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
  }

  Operation *find(StringRef name) {
    Operation *found = nullptr;
    module->walk([&](Operation *op) {
      if (auto attribute = op->getAttrOfType<StringAttr>("name"))
        if (attribute.getValue() == name)
          found = op;
    });
    return found;
  }
  Value get(StringRef name) { return find(name)->getResult(0); }

  GlobalType getX() {
    auto kernel = *module->getOps<KernelOp>().begin();
    return cast<GlobalType>(kernel.getParams()[0].getType());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(LinearBoundsTest, TakesSumsApartAndCancels) {
  parse(R"(
    %N = tile.size N {name = "N"}
    %c3 = arith.constant 3 : index
    %a = arith.muli %N, %c3 : index
    %b = arith.addi %a, %c64 {name = "b"} : index
    %c = arith.subi %b, %a {name = "c"} : index
    %q = arith.muli %N, %N {name = "square"} : index
  )");
  LinearExpr b = LinearExpr::get(get("b"));
  EXPECT_EQ(b.getConstant(), 64);
  EXPECT_EQ(b.getCoefficient(get("N")), 3);
  EXPECT_TRUE(b.isNonNegative());
  LinearExpr c = LinearExpr::get(get("c"));
  EXPECT_TRUE(c.isConstant());
  EXPECT_EQ(c.getConstant(), 64);
  // Not linear: the product is an atom of its own.
  EXPECT_EQ(LinearExpr::get(get("square")).getCoefficient(get("square")), 1);
}

TEST_F(LinearBoundsTest, DoesNotTakeNarrowIntegersApart) {
  parse(R"(
    %a = arith.index_cast %p : index to i8
    %b = arith.addi %a, %a {name = "b"} : i8
  )");
  EXPECT_EQ(LinearExpr::get(get("b")).getCoefficient(get("b")), 1);
}

TEST_F(LinearBoundsTest, StaysLinearTimeOnDoublings) {
  std::string body = "%v0 = arith.addi %p, %p : index\n";
  for (int i = 1; i < 60; ++i)
    body += "%v" + std::to_string(i) + " = arith.addi %v" +
            std::to_string(i - 1) + ", %v" + std::to_string(i - 1) +
            (i == 59 ? " {name = \"end\"}" : "") + " : index\n";
  parse(body);
  EXPECT_FALSE(LinearExpr::get(get("end")).isNonNegative());
  EXPECT_FALSE(isNonNegative(get("end")));
}

TEST_F(LinearBoundsTest, BoundsTilesOfPositions) {
  parse(R"(
    %n = tile.range %p to %c64 : !tile.range<16>
    %i = tile.indices %n : !tile.range<16> -> tensor<16xi32>
    %two = arith.constant dense<-2> : tensor<16xi32>
    %s = arith.muli %i, %two {name = "scaled"} : tensor<16xi32>
    %ws = tensor.splat %w : tensor<16xi32>
    %d = arith.subi %i, %ws {name = "shifted"} : tensor<16xi32>
    %k = arith.constant {name = "constant"} dense<[3, -1, 7]> : tensor<3xi32>
    %q = arith.muli %i, %i {name = "square"} : tensor<16xi32>
  )");
  auto scaled = getElementBounds(get("scaled"));
  ASSERT_TRUE(scaled);
  EXPECT_EQ((scaled->high - scaled->low).getConstant(), 30);
  EXPECT_EQ(scaled->high.getConstant(), 0);
  auto shifted = getElementBounds(get("shifted"));
  ASSERT_TRUE(shifted);
  EXPECT_EQ((shifted->high - shifted->low).getConstant(), 15);
  EXPECT_EQ(shifted->low.getTerms().size(), 2u);
  auto constant = getElementBounds(get("constant"));
  ASSERT_TRUE(constant);
  EXPECT_EQ(constant->low.getConstant(), -1);
  EXPECT_EQ(constant->high.getConstant(), 7);
  EXPECT_FALSE(getElementBounds(get("square")));
}

TEST_F(LinearBoundsTest, KnowsWhichSizesAreNotNegative) {
  parse(R"(
    %a = tile.size N {name = "extent"}
    %b = tile.size B {name = "offset"}
    %c = tile.size 2 * N {name = "product"}
    %d = tile.size N - 1 {name = "less"}
    %e = tile.end %m {name = "end"} : !tile.range<32 of N>
    %g = arith.maxsi %p, %c0 {name = "clamped"} : index
    %k = arith.minsi %a, %p {name = "parameter"} : index
  )");
  EXPECT_TRUE(isNonNegative(get("extent")));
  EXPECT_TRUE(isNonNegative(get("end")));
  EXPECT_TRUE(isNonNegative(get("clamped")));
  // cu: [B + 1] leaves B = -1; parameters are any number.
  EXPECT_FALSE(isNonNegative(get("offset")));
  EXPECT_TRUE(isNonNegative(get("product")));
  EXPECT_FALSE(isNonNegative(get("less")));
  EXPECT_FALSE(isNonNegative(get("parameter")));
}

TEST_F(LinearBoundsTest, BoundsByASize) {
  parse(R"(
    %n = tile.size N {name = "N"}
    %a = arith.minsi %p, %n {name = "min"} : index
    %b = arith.maxsi %p, %n {name = "max"} : index
    %c = tile.end %m {name = "end"} : !tile.range<32 of N>
  )");
  SizeAttr size = cast<SizeOp>(find("N")).getSize();
  EXPECT_TRUE(isAtMost(get("min"), size));
  EXPECT_TRUE(isAtMost(get("end"), size));
  EXPECT_FALSE(isAtMost(get("max"), size));
}

TEST_F(LinearBoundsTest, FindsDivisors) {
  parse(R"(
    %s = tile.start %m {name = "start"} : !tile.range<32 of N>
    %a = arith.addi %s, %c64 {name = "sum"} : index
    %b = arith.muli %s, %p {name = "product"} : index
    %c = tile.size 8 * N {name = "size"}
    scf.for %i = %c0 to %p step %c64 {
      %d = arith.addi %i, %s {name = "position"} : index
    }
  )");
  EXPECT_EQ(getKnownDivisor(get("start")), 32);
  EXPECT_EQ(getKnownDivisor(get("sum")), 32);
  EXPECT_EQ(getKnownDivisor(get("product")), 32);
  EXPECT_EQ(getKnownDivisor(get("size")), 8);
  EXPECT_EQ(getKnownDivisor(get("position")), 32);
}

TEST_F(LinearBoundsTest, TellsFullRangesAndAccessesInBounds) {
  parse(R"(
    %c128 = arith.constant 128 : index
    %n = tile.size N
    %a = tile.range %c64 to %c128 {name = "full"} : !tile.range<64>
    %b = tile.range %c64 to %c128 {name = "ragged"} : !tile.range<65>
    %c = tile.shift %a by %p {name = "moved"} : !tile.range<64>
    %d = tile.range %p to %n full {name = "stated"} : !tile.range<16 of N>
    %e = tile.range %p to %p full {name = "elsewhere"} : !tile.range<16>
  )");
  EXPECT_TRUE(isFullRange(get("full")));
  EXPECT_FALSE(isFullRange(get("ragged")));
  EXPECT_TRUE(isFullRange(get("moved")));
  GlobalType x = getX();
  EXPECT_TRUE(isInBounds(get("stated"), x, 0));
  EXPECT_FALSE(isInBounds(get("full"), x, 0));
  EXPECT_FALSE(isInBounds(get("moved"), x, 0));
  EXPECT_FALSE(isInBounds(get("elsewhere"), x, 0));
  auto kernel = *module->getOps<KernelOp>().begin();
  Value row = kernel.getGridArguments()[1];
  EXPECT_TRUE(isInBounds(row, x, 0));
  EXPECT_FALSE(isInBounds(row, x, 1));
}

} // namespace
