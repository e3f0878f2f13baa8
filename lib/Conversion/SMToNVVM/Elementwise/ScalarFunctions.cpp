//===- ScalarFunctions.cpp - Functions of one f32 ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The special function unit has exp2, log2, rsqrt, sqrt and a reciprocal. The
// other functions are computed from these and from polynomials. Their
// coefficients are fits on Chebyshev nodes over the interval that each comment
// names.
//
//===----------------------------------------------------------------------===//

#include "FloatBuilder.h"
#include "ScalarMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

Value sm::emitIntrinsic(OpBuilder &builder, Location loc, StringRef name,
                        Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, loc, result,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

namespace {
/// Builds formulas over f32.
class Formula : public FloatBuilder {
public:
  Formula(OpBuilder &builder, Location loc)
      : FloatBuilder(builder, loc, builder.getF32Type()) {}

  Value isBelow(Value x, double bound) {
    return LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::olt, x,
                                constant(bound));
  }
  Value call(StringRef intrinsic, ValueRange operands) {
    return emitIntrinsic(builder, loc, intrinsic, type, operands);
  }
  Value exp2(Value x) { return call("llvm.nvvm.ex2.approx.ftz.f32", x); }
  Value log2(Value x) { return call("llvm.nvvm.lg2.approx.f", x); }

  /// Evaluates a polynomial by Horner's rule, with coefficients from the power
  /// 0 on.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  Value exp(Value x);
  Value tanh(Value x);
  Value erf(Value x);
};
} // namespace

static constexpr double kLog2E = 1.4426950408889634;
static constexpr double kLn2 = 0.69314718055994531;
static constexpr double kLog10Of2 = 0.30102999566398120;

/// Computes exp2 of a fraction, scaled by exp2 of an integer. The rounding of x
/// log2(e) would otherwise cost bits as x grows.
Value Formula::exp(Value x) {
  Value exponent =
      LLVM::RoundEvenOp::create(builder, loc, mul(x, constant(kLog2E)));
  // Beyond these exponents, the fraction continues down to 0 and up to
  // infinity.
  exponent = LLVM::MaxNumOp::create(builder, loc, exponent, constant(-126));
  exponent = LLVM::MinNumOp::create(builder, loc, exponent, constant(127));
  const float high = kLog2E;
  Value fraction =
      fma(x, constant(high), LLVM::FNegOp::create(builder, loc, exponent));
  fraction = fma(x, constant(kLog2E - double(high)), fraction);
  return mul(exp2(fraction), exp2(exponent));
}

/// Computes x + x^3 p(x^2) below 0.6, where 1 - 2 / (exp(2x) + 1) would cancel.
Value Formula::tanh(Value x) {
  Value magnitude = abs(x), square = mul(x, x);
  Value series = polynomial(square, {-0.3333333134651184, 0.13332881033420563,
                                     -0.05386805906891823, 0.02108002081513405,
                                     -0.006219721399247646});
  Value small = fma(mul(series, square), x, x);
  Value power = exp2(mul(magnitude, constant(2 * kLog2E)));
  Value inverse = call("llvm.nvvm.rcp.approx.ftz.f", add(power, constant(1)));
  Value large = fma(inverse, constant(-2), constant(1));
  return select(isBelow(magnitude, 0.6), small, withSignOf(large, x));
}

/// Computes x p(x^2) below 1, and 1 - exp2(q(|x|)) up to 4, where it rounds to
/// 1.
Value Formula::erf(Value x) {
  Value magnitude = abs(x), square = mul(x, x);
  Value small =
      mul(x, polynomial(square, {1.1283791065216064, -0.3761262595653534,
                                 0.11283597350120544, -0.02685432881116867,
                                 0.005189312156289816, -0.0008018855005502701,
                                 7.882497448008507e-05}));
  Value bounded = LLVM::MinNumOp::create(builder, loc, magnitude, constant(4));
  Value logarithm = polynomial(
      bounded,
      {0.0004374438140075654, -1.6304858922958374, -0.9116925001144409,
       -0.15866507589817047, 0.038036245852708817, -0.006838695146143436,
       0.000855185673572123, -6.577336171176285e-05, 2.328598611711641e-06});
  Value large = sub(constant(1), exp2(logarithm));
  // A NaN takes the first branch: it is not greater.
  Value isLarge = LLVM::FCmpOp::create(builder, loc, LLVM::FCmpPredicate::ogt,
                                       magnitude, constant(1));
  return select(isLarge, withSignOf(large, x), small);
}

Value sm::emitFunction(OpBuilder &builder, Location loc, StringRef name,
                       Value x) {
  Formula formula(builder, loc);
  auto is = [&](StringRef other) { return name == other; };
  if (is("math.exp2"))
    return formula.exp2(x);
  if (is("math.exp"))
    return formula.exp(x);
  if (is("math.log2"))
    return formula.log2(x);
  if (is("math.log"))
    return formula.mul(formula.log2(x), formula.constant(kLn2));
  if (is("math.log10"))
    return formula.mul(formula.log2(x), formula.constant(kLog10Of2));
  if (is("math.sqrt"))
    return formula.call("llvm.nvvm.sqrt.approx.f", x);
  if (is("math.rsqrt"))
    return formula.call("llvm.nvvm.rsqrt.approx.f", x);
  if (is("math.tanh"))
    return formula.tanh(x);
  if (is("math.erf"))
    return formula.erf(x);
  if (is("math.absf"))
    return formula.abs(x);
  if (is("math.floor"))
    return LLVM::FFloorOp::create(builder, loc, x);
  if (is("math.ceil"))
    return LLVM::FCeilOp::create(builder, loc, x);
  if (is("math.trunc"))
    return LLVM::FTruncOp::create(builder, loc, x);
  if (is("math.roundeven"))
    return LLVM::RoundEvenOp::create(builder, loc, x);
  if (is("math.round"))
    return LLVM::RoundOp::create(builder, loc, x);
  return Value();
}
