//===- FloorDivision.cpp - Integer division of the language -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The language defines every quotient: division by zero yields zero, and the
// smallest integer divided by -1 wraps around to itself. Both are undefined for
// `sdiv` of LLVM; division by zero is undefined for `div` of PTX. The lowering
// divides by 1 in these cases and selects the result.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// Expands a division by an unknown number. MLIR's pattern expands divisions by
/// a constant.
struct ExpandFloorDivision : OpRewritePattern<arith::FloorDivSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::FloorDivSIOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    Value x = op.getLhs(), y = op.getRhs();
    APInt known;
    if (matchPattern(y, m_ConstantInt(&known)) && !known.isZero() &&
        !known.isAllOnes())
      return failure();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getIntegerAttr(type, value));
    };
    auto compare = [&](arith::CmpIPredicate predicate, Value a,
                       Value b) -> Value {
      return arith::CmpIOp::create(rewriter, loc, predicate, a, b);
    };
    auto select = [&](Value condition, Value a, Value b) -> Value {
      return arith::SelectOp::create(rewriter, loc, condition, a, b);
    };
    Value zero = constant(0), minusOne = constant(-1);
    Value byZero = compare(arith::CmpIPredicate::eq, y, zero);
    // An index does not wrap: it has 32 bits only if bounds prove that all
    // results have 32 bits.
    bool mayWrap = !type.isIndex();
    Value byMinusOne =
        mayWrap ? compare(arith::CmpIPredicate::eq, y, minusOne) : Value();
    Value isSpecial =
        mayWrap ? Value(arith::OrIOp::create(rewriter, loc, byZero, byMinusOne))
                : byZero;
    Value divisor = select(isSpecial, constant(1), y);

    Value quotient = arith::DivSIOp::create(rewriter, loc, x, divisor);
    Value product = arith::MulIOp::create(rewriter, loc, quotient, divisor);
    Value isInexact = compare(arith::CmpIPredicate::ne, x, product);
    Value signsDiffer = compare(
        arith::CmpIPredicate::ne, compare(arith::CmpIPredicate::slt, x, zero),
        compare(arith::CmpIPredicate::slt, divisor, zero));
    Value below = arith::AddIOp::create(rewriter, loc, quotient, minusOne);
    Value result =
        select(arith::AndIOp::create(rewriter, loc, isInexact, signsDiffer),
               below, quotient);

    if (mayWrap)
      result = select(byMinusOne, arith::SubIOp::create(rewriter, loc, zero, x),
                      result);
    rewriter.replaceOp(op, select(byZero, zero, result));
    return success();
  }
};
} // namespace

void sm::populateFloorDivisionPattern(RewritePatternSet &patterns) {
  patterns.add<ExpandFloorDivision>(patterns.getContext(), /*benefit=*/2);
}
