//===- WideFunctions.cpp - Functions computed in f64 ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of f32 without an instruction, computed in f64 and rounded once.
// All steps are IEEE operations, so the emulator computes the bits of the GPU.
// The relative error before the rounding is below 2^-36: an f32 result is
// within 0.501 units in the last place, and nearly always the one of the
// interpreter.
//
// Most steps are polynomials after a reduction of the argument (Cody and Waite
// for sines and exponentials, exponent and mantissa for logarithms, the octant
// for arc tangents). Sines of large arguments multiply by 2/pi modulo 4, in
// parts whose products are exact (Payne and Hanek). A remainder of operands of
// very different sizes subtracts multiples in steps of 50 bits. These two have
// frequent arguments, for which the long steps can be left out.
//
//===----------------------------------------------------------------------===//

#include "WideFunctions.h"
#include "FloatBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace tessera;
using namespace tessera::sm;

using Predicate = LLVM::FCmpPredicate;

/// Added to a number below 2^51, rounds it to an integer, which the low bits of
/// the sum are.
static constexpr double kShifter = 0x1.8p52;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr double kPi = 0x1.921fb54442d18p+1;
/// pi / 2 = high + low + 2^-109.
static constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0;
static constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;
static constexpr double kTwoByPi = 0x1.45f306dc9c883p-1;
static constexpr double kLog2E = 0x1.71547652b82fep+0;
static constexpr double kLn2High = 0x1.62e42fefa39efp-1;
static constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;

/// Arguments of sines from here on are rare. Up to here, the multiple of pi / 2
/// next to x differs from x by an exact difference and a small product.
static constexpr double kFirstRareAngle = 0x1p40;
/// Quotients of remainders from here on are rare.
static constexpr double kFirstRareQuotient = 0x1p50;

namespace {
/// Builds formulas over f64.
class WideFormula : public FloatBuilder {
public:
  WideFormula(OpBuilder &builder, Location loc)
      : FloatBuilder(builder, loc, builder.getF64Type()) {}

  Value widen(Value x) {
    return LLVM::FPExtOp::create(builder, loc, builder.getF64Type(), x);
  }
  Value narrow(Value x) {
    return LLVM::FPTruncOp::create(builder, loc, builder.getF32Type(), x);
  }

  /// Each of these takes and returns f64.
  Value sine(Value x, Arguments arguments);
  Value cosine(Value x, Arguments arguments);
  Value tangent(Value x, Arguments arguments);
  Value arcTangent(Value y, Value x);
  Value arcSine(Value x) { return arcTangent(x, otherLeg(x)); }
  Value arcCosine(Value x) { return arcTangent(otherLeg(x), x); }
  Value hyperbolicSine(Value x);
  Value hyperbolicCosine(Value x);
  Value exponentialMinus1(Value x);
  Value logarithmOf1Plus(Value x);
  Value power(Value x, Value y);
  Value cubeRoot(Value x);
  Value remainder(Value x, Value y, Arguments arguments);

  Value isRareAngle(Value x) {
    return compare(Predicate::oge, abs(x), constant(kFirstRareAngle));
  }
  Value isRareQuotient(Value x, Value y) {
    return compare(Predicate::oge, abs(x),
                   mul(abs(y), constant(kFirstRareQuotient)));
  }

private:
  Value integer(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                    builder.getI64IntegerAttr(value));
  }
  Value div(Value x, Value y) {
    return LLVM::FDivOp::create(builder, loc, x, y);
  }
  Value negate(Value x) { return LLVM::FNegOp::create(builder, loc, x); }
  Value sqrt(Value x) { return LLVM::SqrtOp::create(builder, loc, x); }
  Value compare(Predicate predicate, Value x, Value y) {
    return LLVM::FCmpOp::create(builder, loc, predicate, x, y);
  }
  Value both(Value x, Value y) {
    return LLVM::AndOp::create(builder, loc, x, y);
  }
  Value getBits(Value x) {
    return LLVM::BitcastOp::create(builder, loc, builder.getI64Type(), x);
  }
  Value fromBits(Value x) {
    return LLVM::BitcastOp::create(builder, loc, builder.getF64Type(), x);
  }
  Value isNegative(Value bits) {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, bits,
                                integer(0));
  }
  /// Returns whether a bit of an integer is set.
  Value hasBit(Value bits, int64_t bit) {
    Value masked = LLVM::AndOp::create(builder, loc, bits, integer(bit));
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, masked,
                                integer(0));
  }
  /// Returns the integer next to x, |x| < 2^51.
  Value round(Value x) {
    return sub(add(x, constant(kShifter)), constant(kShifter));
  }
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  /// An angle, as `quadrant` * pi / 2 + `rest`. The two low bits of `quadrant`
  /// count.
  struct Angle {
    Value rest, quadrant;
  };
  Angle reduce(Value x, Arguments arguments);
  Angle reduceFrequent(Value x);
  Angle reduceRare(Value x);
  Value sineOfRest(Value r);
  Value cosineOfRest(Value r);
  Value inQuadrant(const Angle &angle, Value sine, Value cosine);
  /// Returns the cosine of the angle whose sine is x.
  Value otherLeg(Value x) {
    return sqrt(mul(sub(constant(1), x), add(constant(1), x)));
  }

  /// An exponential, as e^x = 2^n * e^rest, n integral.
  struct Exponent {
    Value n, rest;
  };
  Exponent splitExponent(Value x);
  /// Returns 2^n for an integral number n.
  Value scale(Value n);
  Value clamp(Value x, double bound);
  /// Returns e^r - 1, |r| <= ln(2) / 2.
  Value expMinus1OfRest(Value r);
  Value exp2(Value x);
  struct Hyperbolic {
    Value sine, cosine, rising, falling;
  };
  Hyperbolic splitHyperbolic(Value x);

  /// A positive normal number, as 2^exponent * mantissa with a mantissa in
  /// [sqrt(1/2), sqrt(2)).
  struct Binary {
    Value exponent, mantissa;
  };
  Binary split(Value x);
  /// Returns log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1).
  Value logarithmOfMantissa(Value f);
  /// Returns log2 |x|.
  Value log2(Value x);
  Value subtractMultiples(Value x, Value y);
};
} // namespace

//===----------------------------------------------------------------------===//
// Sines
//===----------------------------------------------------------------------===//

WideFormula::Angle WideFormula::reduceFrequent(Value x) {
  Value shifted = fma(x, constant(kTwoByPi), constant(kShifter));
  Value count = negate(sub(shifted, constant(kShifter)));
  Value rest = fma(count, constant(kHalfPiHigh), x);
  return {fma(count, constant(kHalfPiLow), rest), getBits(shifted)};
}

/// Reduces x = 2^s m, s of the table, m an integer of 24 bits below 2^46.
WideFormula::Angle WideFormula::reduceRare(Value x) {
  // 2^s * 2/pi modulo 4, in parts of 29 bits.
  struct Range {
    double last, scale, parts[4];
  };
  constexpr Range ranges[] = {
      {kInfinity,
       0x1p-86,
       {0x1.f47d4d2p+0, 0x1.77036d8p-28, 0x1.4acc9e2p-57, 0x1.c820ffp-89}},
      {0x1p109,
       0x1p-63,
       {0x1.fc2757cp-1, 0x1.1f534dcp-29, 0x1.c0db629p-57, 0x1.664f10ep-87}},
      {0x1p86,
       0x1p-40,
       {0x1.220a94fp+1, 0x1.c2757d1p-28, 0x1.ea69bb8p-57, 0x1.b6c52bp-89}},
      {0x1p63,
       0x1p-17,
       {0x1.836e4e4p+1, 0x1.054a7fp-29, 0x1.3abe8fap-58, 0x1.34ddc0cp-87}}};
  Value magnitude = abs(x);
  Value factor, parts[4];
  for (const Range &range : ranges) {
    Value isBelow;
    auto choose = [&](Value &value, double number) {
      value =
          value ? select(isBelow, constant(number), value) : constant(number);
    };
    if (factor)
      isBelow = compare(Predicate::olt, magnitude, constant(range.last));
    choose(factor, range.scale);
    for (auto [part, number] : llvm::zip_equal(parts, range.parts))
      choose(part, number);
  }
  Value mantissa = mul(x, factor);
  // Products of 24 and 29 bits are exact, and so are the fractions of the
  // first two; of the others the product is a small fraction.
  Value high = mul(mantissa, parts[0]), middle = mul(mantissa, parts[1]);
  Value highCount = add(high, constant(kShifter));
  Value middleCount = add(middle, constant(kShifter));
  high = sub(high, sub(highCount, constant(kShifter)));
  middle = sub(middle, sub(middleCount, constant(kShifter)));
  // The sum and, where it is near an integer, its exact rounding error.
  Value sum = add(high, middle);
  Value error = sub(middle, sub(sum, high));
  Value sumCount = add(sum, constant(kShifter));
  Value fraction = sub(sum, sub(sumCount, constant(kShifter)));
  Value low = fma(mantissa, parts[2], fma(mantissa, parts[3], error));
  Value rest = mul(add(fraction, low), constant(kHalfPiHigh));
  Value quadrant = LLVM::AddOp::create(builder, loc, getBits(highCount),
                                       LLVM::AddOp::create(builder, loc,
                                                           getBits(middleCount),
                                                           getBits(sumCount)));
  return {rest, quadrant};
}

WideFormula::Angle WideFormula::reduce(Value x, Arguments arguments) {
  Angle frequent = reduceFrequent(x);
  if (arguments == Arguments::Frequent)
    return frequent;
  Angle rare = reduceRare(x);
  Value isRare = isRareAngle(x);
  return {select(isRare, rare.rest, frequent.rest),
          select(isRare, rare.quadrant, frequent.quadrant)};
}

/// Taylor's series; the first omitted term is 2^-44 of the result.
Value WideFormula::sineOfRest(Value r) {
  Value square = mul(r, r);
  return mul(r,
             polynomial(square, {1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880,
                                 -1. / 39916800, 1. / 6227020800}));
}

Value WideFormula::cosineOfRest(Value r) {
  Value square = mul(r, r);
  return polynomial(square, {1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320,
                             -1. / 3628800, 1. / 479001600});
}

/// Returns the sine of an angle from the sine and the cosine of its rest.
Value WideFormula::inQuadrant(const Angle &angle, Value sine, Value cosine) {
  Value chosen = select(hasBit(angle.quadrant, 1), cosine, sine);
  return select(hasBit(angle.quadrant, 2), negate(chosen), chosen);
}

Value WideFormula::sine(Value x, Arguments arguments) {
  Angle angle = reduce(x, arguments);
  return inQuadrant(angle, sineOfRest(angle.rest), cosineOfRest(angle.rest));
}

Value WideFormula::cosine(Value x, Arguments arguments) {
  Angle angle = reduce(x, arguments);
  // A quarter of a turn further.
  angle.quadrant =
      LLVM::AddOp::create(builder, loc, angle.quadrant, integer(1));
  return inQuadrant(angle, sineOfRest(angle.rest), cosineOfRest(angle.rest));
}

Value WideFormula::tangent(Value x, Arguments arguments) {
  Angle angle = reduce(x, arguments);
  Value sine = sineOfRest(angle.rest), cosine = cosineOfRest(angle.rest);
  Value isOdd = hasBit(angle.quadrant, 1);
  return div(select(isOdd, negate(cosine), sine), select(isOdd, sine, cosine));
}

/// Returns the angle of the point (x, y). The polynomial is a fit on Chebyshev
/// nodes of the square of the ratio in [0, 1].
Value WideFormula::arcTangent(Value y, Value x) {
  Value height = abs(y), width = abs(x);
  Value isSteep = compare(Predicate::ogt, height, width);
  Value large = select(isSteep, height, width);
  Value small = select(isSteep, width, height);
  Value ratio = div(small, large);
  // The ratio of zeros counts as 0, and that of infinities as 1. A NaN is never
  // equal.
  Value areEqual = compare(Predicate::oeq, small, large);
  Value isZero = compare(Predicate::oeq, large, constant(0));
  ratio = select(areEqual, select(isZero, constant(0), constant(1)), ratio);
  Value square = mul(ratio, ratio);
  Value angle = mul(
      ratio,
      polynomial(
          square,
          {0x1.fffffffffffc6p-1, -0x1.55555555422c9p-2, 0x1.9999998a8a9cdp-3,
           -0x1.249246dbeca63p-3, 0x1.c71c14b492ee5p-4, -0x1.745891e0ff6aep-4,
           0x1.3aee3cb48c4c8p-4, -0x1.10365ddeadcc0p-4, 0x1.da92d63b4b1d7p-5,
           -0x1.979934b129d71p-5, 0x1.4b959c7943b85p-5, -0x1.e3f14d6e0851fp-6,
           0x1.29654f8660a3dp-6, -0x1.1f1d5b75c28f6p-7, 0x1.902254b8f5c29p-9,
           -0x1.6157a8e147ae1p-11, 0x1.26840d70a3d71p-14}));
  angle = select(isSteep, sub(constant(kPi / 2), angle), angle);
  angle = select(isNegative(getBits(x)), sub(constant(kPi), angle), angle);
  return withSignOf(angle, y);
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// Limits the magnitude of x. A NaN stays.
Value WideFormula::clamp(Value x, double bound) {
  x = select(compare(Predicate::olt, x, constant(-bound)), constant(-bound), x);
  return select(compare(Predicate::ogt, x, constant(bound)), constant(bound),
                x);
}

/// Beyond the bound of x, results in f32 are infinite or those of the bound.
WideFormula::Exponent WideFormula::splitExponent(Value x) {
  x = clamp(x, 200);
  Value n = round(mul(x, constant(kLog2E)));
  Value count = negate(n);
  Value rest = fma(count, constant(kLn2High), x);
  return {n, fma(count, constant(kLn2Low), rest)};
}

Value WideFormula::scale(Value n) {
  Value bits = getBits(add(n, constant(kShifter + 1023)));
  return fromBits(LLVM::ShlOp::create(builder, loc, bits, integer(52)));
}

Value WideFormula::expMinus1OfRest(Value r) {
  return mul(r, polynomial(r, {1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720,
                               1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800,
                               1. / 39916800}));
}

Value WideFormula::exponentialMinus1(Value x) {
  Exponent exponent = splitExponent(x);
  Value power = scale(exponent.n);
  Value result =
      fma(power, expMinus1OfRest(exponent.rest), sub(power, constant(1)));
  // The result of -0 is -0.
  return withSignOf(result, x);
}

/// Returns the hyperbolic functions of the rest of x, and 2^n / 2 and 2^-n / 2.
WideFormula::Hyperbolic WideFormula::splitHyperbolic(Value x) {
  Exponent exponent = splitExponent(x);
  Value r = exponent.rest, square = mul(r, r);
  Value sine = mul(r, polynomial(square, {1, 1. / 6, 1. / 120, 1. / 5040,
                                          1. / 362880, 1. / 39916800}));
  Value cosine = polynomial(
      square, {1, 1. / 2, 1. / 24, 1. / 720, 1. / 40320, 1. / 3628800});
  Value half = constant(0.5);
  return {sine, cosine, mul(scale(exponent.n), half),
          mul(scale(negate(exponent.n)), half)};
}

Value WideFormula::hyperbolicSine(Value x) {
  Hyperbolic parts = splitHyperbolic(x);
  Value result = fma(parts.cosine, sub(parts.rising, parts.falling),
                     mul(parts.sine, add(parts.rising, parts.falling)));
  return withSignOf(result, x);
}

Value WideFormula::hyperbolicCosine(Value x) {
  Hyperbolic parts = splitHyperbolic(x);
  return fma(parts.sine, sub(parts.rising, parts.falling),
             mul(parts.cosine, add(parts.rising, parts.falling)));
}

Value WideFormula::exp2(Value x) {
  x = clamp(x, 300);
  Value n = round(x);
  Value power = scale(n);
  Value rest = mul(sub(x, n), constant(kLn2High));
  return fma(power, expMinus1OfRest(rest), power);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

WideFormula::Binary WideFormula::split(Value x) {
  Value bits = getBits(x);
  Value offset =
      LLVM::SubOp::create(builder, loc, bits, integer(0x3fe6a09e667f3bcd));
  Value exponent = LLVM::AShrOp::create(builder, loc, offset, integer(52));
  Value scaled = LLVM::ShlOp::create(builder, loc, exponent, integer(52));
  // No instruction converts integers of 64 bits as fast as this sum.
  Value number = sub(fromBits(LLVM::AddOp::create(builder, loc, exponent,
                                                  getBits(constant(kShifter)))),
                     constant(kShifter));
  return {number, fromBits(LLVM::SubOp::create(builder, loc, bits, scaled))};
}

/// Returns 2 artanh(s), s = f / (2 + f), by its series. The first omitted term
/// is 2^-44 of the result.
Value WideFormula::logarithmOfMantissa(Value f) {
  Value s = div(f, add(f, constant(2)));
  Value square = mul(s, s);
  return mul(s, polynomial(square, {2, 2. / 3, 2. / 5, 2. / 7, 2. / 9, 2. / 11,
                                    2. / 13, 2. / 15}));
}

Value WideFormula::logarithmOf1Plus(Value x) {
  Value sum = add(x, constant(1));
  Binary parts = split(sum);
  // For a small x, the sum loses bits that x has.
  Value isSmall = compare(Predicate::oeq, parts.exponent, constant(0));
  Value fraction = select(isSmall, x, sub(parts.mantissa, constant(1)));
  Value result =
      fma(parts.exponent, constant(kLn2High), logarithmOfMantissa(fraction));
  // The result of -0 is -0.
  result = withSignOf(result, x);
  Value isInside = both(compare(Predicate::ogt, x, constant(-1)),
                        compare(Predicate::olt, x, constant(kInfinity)));
  Value isEnd = compare(Predicate::oeq, x, constant(-1));
  Value isInfinite = compare(Predicate::oeq, x, constant(kInfinity));
  Value outside = select(isInfinite, x, constant(kNaN));
  return select(isInside, result, select(isEnd, constant(-kInfinity), outside));
}

Value WideFormula::log2(Value x) {
  Value magnitude = abs(x);
  Binary parts = split(magnitude);
  Value result = fma(logarithmOfMantissa(sub(parts.mantissa, constant(1))),
                     constant(kLog2E), parts.exponent);
  // Of infinity and NaN, the result is the magnitude.
  Value isFinite = compare(Predicate::olt, magnitude, constant(kInfinity));
  Value isZero = compare(Predicate::oeq, x, constant(0));
  return select(isZero, constant(-kInfinity),
                select(isFinite, result, magnitude));
}

/// The cases are those of C and IEEE 754: x^0 and 1^y are 1 for each x and y.
Value WideFormula::power(Value x, Value y) {
  Value magnitude = exp2(mul(y, log2(x)));
  Value isInteger =
      compare(Predicate::oeq, LLVM::RoundEvenOp::create(builder, loc, y), y);
  Value half = mul(y, constant(0.5));
  Value isEven = compare(Predicate::oeq,
                         LLVM::RoundEvenOp::create(builder, loc, half), half);
  Value isNegativeBase = isNegative(getBits(x));
  Value signedValue = select(isEven, magnitude, negate(magnitude));
  // A power of a negative number is not defined for a fraction y, except those
  // of 0 and of infinity.
  Value absolute = abs(x);
  Value isProper = both(compare(Predicate::ogt, absolute, constant(0)),
                        compare(Predicate::olt, absolute, constant(kInfinity)));
  Value ofFraction = select(isProper, constant(kNaN), magnitude);
  Value ofNegative = select(isInteger, signedValue, ofFraction);
  Value result = select(isNegativeBase, ofNegative, magnitude);
  // (-1)^inf is 1, like the limit of even powers.
  Value isUnit = compare(Predicate::oeq, absolute, constant(1));
  Value isInfinite = compare(Predicate::oeq, abs(y), constant(kInfinity));
  Value one = constant(1);
  result = select(both(isUnit, isInfinite), one, result);
  result = select(compare(Predicate::oeq, x, one), one, result);
  return select(compare(Predicate::oeq, y, constant(0)), one, result);
}

Value WideFormula::cubeRoot(Value x) {
  return withSignOf(exp2(div(log2(x), constant(3))), x);
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// Returns x mod y for 0 <= x < 2^51 y. The difference is exact: it is a
/// multiple of the last place of x or y, and its magnitude is below y.
Value WideFormula::subtractMultiples(Value x, Value y) {
  Value count = round(div(x, y));
  Value rest = fma(negate(count), y, x);
  return select(compare(Predicate::olt, rest, constant(0)), add(rest, y), rest);
}

Value WideFormula::remainder(Value x, Value y, Arguments arguments) {
  Value dividend = abs(x), divisor = abs(y);
  Value rest = dividend;
  // The quotient of two numbers in f32 is below 2^277.
  if (arguments == Arguments::All)
    for (int exponent = 250; exponent > 0; exponent -= 50)
      rest = subtractMultiples(
          rest, mul(divisor, constant(std::ldexp(1.0, exponent))));
  rest = subtractMultiples(rest, divisor);
  // A multiple of infinity has no difference.
  Value isSmaller = compare(Predicate::olt, dividend, divisor);
  return withSignOf(select(isSmaller, dividend, rest), x);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value sm::emitWideFunction(OpBuilder &builder, Operation *op,
                           ValueRange operands, Arguments arguments) {
  WideFormula formula(builder, op->getLoc());
  // Only the operations of the switch widen their operands.
  auto x = [&] { return formula.widen(operands[0]); };
  auto y = [&] { return formula.widen(operands[1]); };
  Value result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](math::SinOp) { return formula.sine(x(), arguments); })
          .Case([&](math::CosOp) { return formula.cosine(x(), arguments); })
          .Case([&](math::TanOp) { return formula.tangent(x(), arguments); })
          .Case([&](math::AsinOp) { return formula.arcSine(x()); })
          .Case([&](math::AcosOp) { return formula.arcCosine(x()); })
          .Case([&](math::AtanOp) {
            Value one = LLVM::ConstantOp::create(builder, op->getLoc(),
                                                 builder.getF64Type(),
                                                 builder.getF64FloatAttr(1));
            return formula.arcTangent(x(), one);
          })
          .Case([&](math::Atan2Op) {
            Value height = x();
            return formula.arcTangent(height, y());
          })
          .Case([&](math::SinhOp) { return formula.hyperbolicSine(x()); })
          .Case([&](math::CoshOp) { return formula.hyperbolicCosine(x()); })
          .Case([&](math::ExpM1Op) { return formula.exponentialMinus1(x()); })
          .Case([&](math::Log1pOp) { return formula.logarithmOf1Plus(x()); })
          .Case([&](math::PowFOp) {
            Value base = x();
            return formula.power(base, y());
          })
          .Case([&](math::CbrtOp) { return formula.cubeRoot(x()); })
          .Case([&](arith::RemFOp) {
            Value dividend = x();
            return formula.remainder(dividend, y(), arguments);
          })
          .Default([](Operation *) { return Value(); });
  return result ? formula.narrow(result) : Value();
}

Value sm::emitIsRare(OpBuilder &builder, Operation *op, ValueRange operands) {
  WideFormula formula(builder, op->getLoc());
  if (isa<math::SinOp, math::CosOp, math::TanOp>(op))
    return formula.isRareAngle(formula.widen(operands[0]));
  if (isa<arith::RemFOp>(op)) {
    Value dividend = formula.widen(operands[0]);
    return formula.isRareQuotient(dividend, formula.widen(operands[1]));
  }
  return Value();
}
