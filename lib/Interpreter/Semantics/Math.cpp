//===- Math.cpp - The math dialect ------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of `math`, computed in f64 and rounded once to the element type. An
// f32 result is therefore within slightly more than half a unit in the last
// place. Narrower results are rounded correctly in all but the rarest cases.
// Fused multiply-add is exact: rounding to odd in f64, then to nearest even.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace tessera;
using namespace tessera::interp;

/// Returns x y + z, rounded once. The product is exact in f64. Knuth's two-sum
/// yields the error of the sum, which becomes the last bit (round to odd).
static float multiplyAdd(ElementType type, float x, float y, float z) {
  double product = double(x) * double(y), addend = z;
  double sum = product + addend;
  if (std::isfinite(sum) && sum != 0) {
    double back = sum - product;
    double error = (product - (sum - back)) + (addend - back);
    uint64_t bits;
    std::memcpy(&bits, &sum, sizeof(bits));
    if (error != 0) {
      if ((error < 0) != (sum < 0))
        --bits;
      bits |= 1;
      std::memcpy(&sum, &bits, sizeof(bits));
    }
  }
  // An f32 result needs no second step; a narrow result goes through f32 by
  // rounding to odd.
  return array::roundTo(type, sum);
}

static double multiplyAdd(ElementType, double x, double y, double z) {
  return std::fma(x, y, z);
}

static LogicalResult runFma(math::FmaOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &a = frame.getTile(op.getA()), &b = frame.getTile(op.getB());
  const Tile &c = frame.getTile(op.getC());
  visitFloats(result.getType(), [&](auto number) {
    using T = decltype(number);
    ArrayRef<T> x = a.get<T>(), y = b.get<T>(), z = c.get<T>();
    MutableArrayRef<T> out = result.getMutable<T>();
    for (size_t i = 0, e = out.size(); i < e; ++i)
      out[i] = multiplyAdd(result.getType(), x[i], y[i], z[i]);
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runClamp(math::ClampFOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &value = frame.getTile(op.getValue());
  const Tile &least = frame.getTile(op.getMin());
  const Tile &most = frame.getTile(op.getMax());
  visitFloats(result.getType(), [&](auto number) {
    using T = decltype(number);
    ArrayRef<T> x = value.get<T>(), low = least.get<T>(), high = most.get<T>();
    MutableArrayRef<T> out = result.getMutable<T>();
    for (size_t i = 0, e = out.size(); i < e; ++i)
      out[i] = x[i] < low[i] ? low[i] : x[i] > high[i] ? high[i] : x[i];
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult runSincos(math::SincosOp op, Frame &frame) {
  Tile sine = frame.makeResult(op, 0), cosine = frame.makeResult(op, 1);
  const Tile &operand = frame.getTile(op.getOperand());
  visitFloats(sine.getType(), [&](auto number) {
    using T = decltype(number);
    ArrayRef<T> x = operand.get<T>();
    MutableArrayRef<T> sines = sine.getMutable<T>();
    MutableArrayRef<T> cosines = cosine.getMutable<T>();
    for (size_t i = 0, e = x.size(); i < e; ++i) {
      sines[i] = roundToType<T>(sine.getType(), std::sin(double(x[i])));
      cosines[i] = roundToType<T>(sine.getType(), std::cos(double(x[i])));
    }
  });
  frame.set(op.getSin(), std::move(sine));
  frame.set(op.getCos(), std::move(cosine));
  return success();
}

static LogicalResult runPower(math::FPowIOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &exponent = frame.getTile(op.getRhs());
  const Tile &base = frame.getTile(op.getLhs());
  visitFloats(result.getType(), [&](auto number) {
    using T = decltype(number);
    ArrayRef<T> x = base.get<T>();
    MutableArrayRef<T> out = result.getMutable<T>();
    for (size_t i = 0, e = out.size(); i < e; ++i) {
      int64_t power = asSigned(exponent.getType(), exponent.integers()[i]);
      out[i] = roundToType<T>(result.getType(), std::pow(double(x[i]), power));
    }
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

static Defect raiseInteger(ElementType type, int64_t base, int64_t exponent,
                           int64_t &out) {
  base = asSigned(type, base);
  exponent = asSigned(type, exponent);
  if (exponent < 0) {
    if (base == 0)
      return "zero raised to a negative power";
    out = base == 1 ? 1 : base != -1 ? 0 : exponent % 2 ? -1 : 1;
    return nullptr;
  }
  uint64_t power = uint64_t(base), result = 1;
  for (; exponent != 0; exponent >>= 1, power *= power)
    if (exponent & 1)
      result *= power;
  out = int64_t(result);
  return nullptr;
}

static void addFunctions(SemanticsTable &table) {
  table.add<math::ExpOp>(mapFloats([](double x) { return std::exp(x); }));
  table.add<math::Exp2Op>(mapFloats([](double x) { return std::exp2(x); }));
  table.add<math::ExpM1Op>(mapFloats([](double x) { return std::expm1(x); }));
  table.add<math::LogOp>(mapFloats([](double x) { return std::log(x); }));
  table.add<math::Log2Op>(mapFloats([](double x) { return std::log2(x); }));
  table.add<math::Log10Op>(mapFloats([](double x) { return std::log10(x); }));
  table.add<math::Log1pOp>(mapFloats([](double x) { return std::log1p(x); }));
  table.add<math::SqrtOp>(mapFloats([](double x) { return std::sqrt(x); }));
  table.add<math::RsqrtOp>(
      mapFloats([](double x) { return 1 / std::sqrt(x); }));
  table.add<math::CbrtOp>(mapFloats([](double x) { return std::cbrt(x); }));
  table.add<math::ErfOp>(mapFloats([](double x) { return std::erf(x); }));
  table.add<math::ErfcOp>(mapFloats([](double x) { return std::erfc(x); }));
  table.add<math::PowFOp>(
      zipFloats([](double x, double y) { return std::pow(x, y); }));
  table.add<math::FPowIOp>(runPower);
  table.add<math::FmaOp>(runFma);
}

static void addTrigonometry(SemanticsTable &table) {
  table.add<math::SinOp>(mapFloats([](double x) { return std::sin(x); }));
  table.add<math::CosOp>(mapFloats([](double x) { return std::cos(x); }));
  table.add<math::TanOp>(mapFloats([](double x) { return std::tan(x); }));
  table.add<math::SinhOp>(mapFloats([](double x) { return std::sinh(x); }));
  table.add<math::CoshOp>(mapFloats([](double x) { return std::cosh(x); }));
  table.add<math::TanhOp>(mapFloats([](double x) { return std::tanh(x); }));
  table.add<math::AsinOp>(mapFloats([](double x) { return std::asin(x); }));
  table.add<math::AcosOp>(mapFloats([](double x) { return std::acos(x); }));
  table.add<math::AtanOp>(mapFloats([](double x) { return std::atan(x); }));
  table.add<math::AsinhOp>(mapFloats([](double x) { return std::asinh(x); }));
  table.add<math::AcoshOp>(mapFloats([](double x) { return std::acosh(x); }));
  table.add<math::AtanhOp>(mapFloats([](double x) { return std::atanh(x); }));
  table.add<math::Atan2Op>(
      zipFloats([](double y, double x) { return std::atan2(y, x); }));
  table.add<math::SincosOp>(runSincos);
}

static void addRoundings(SemanticsTable &table) {
  table.add<math::AbsFOp>(mapFloats([](auto x) { return std::fabs(x); }));
  table.add<math::CeilOp>(mapFloats([](auto x) { return std::ceil(x); }));
  table.add<math::FloorOp>(mapFloats([](auto x) { return std::floor(x); }));
  table.add<math::TruncOp>(mapFloats([](auto x) { return std::trunc(x); }));
  table.add<math::RoundOp>(mapFloats([](auto x) { return std::round(x); }));
  table.add<math::RoundEvenOp>(
      mapFloats([](auto x) { return std::nearbyint(x); }));
  table.add<math::CopySignOp>(
      zipFloats([](auto x, auto y) { return std::copysign(x, y); }));
  table.add<math::ClampFOp>(runClamp);
  table.add<math::IsNaNOp>(
      mapFloatsToIntegers([](auto x) { return std::isnan(x); }));
  table.add<math::IsInfOp>(
      mapFloatsToIntegers([](auto x) { return std::isinf(x); }));
  table.add<math::IsFiniteOp>(
      mapFloatsToIntegers([](auto x) { return std::isfinite(x); }));
}

/// Checks whether a value is normal in its own type, which differs from f32.
static LogicalResult runIsNormal(math::IsNormalOp op, Frame &frame) {
  double least = 0x1p-126;
  switch (frame.getTile(op.getOperand()).getType()) {
  case ElementType::F16:
  case ElementType::F8E5M2:
    least = 0x1p-14;
    break;
  case ElementType::F8E4M3FN:
    least = 0x1p-6;
    break;
  case ElementType::F64:
    least = 0x1p-1022;
    break;
  default:
    break;
  }
  return mapFloatsToIntegers([least](double x) {
    return std::isfinite(x) && std::fabs(x) >= least;
  })(op, frame);
}

static void addIntegerFunctions(SemanticsTable &table) {
  table.add<math::AbsIOp>(mapIntegers([](ElementType type, int64_t x) {
    int64_t value = asSigned(type, x);
    return value < 0 ? int64_t(0 - uint64_t(value)) : value;
  }));
  table.add<math::CountLeadingZerosOp>(
      mapIntegers([](ElementType type, int64_t x) {
        return llvm::countl_zero(asUnsigned(type, x)) -
               int64_t(64 - getBitWidth(type));
      }));
  table.add<math::CountTrailingZerosOp>(
      mapIntegers([](ElementType type, int64_t x) {
        return std::min<int64_t>(llvm::countr_zero(asUnsigned(type, x)),
                                 getBitWidth(type));
      }));
  table.add<math::CtPopOp>(mapIntegers([](ElementType type, int64_t x) {
    return int64_t(llvm::popcount(asUnsigned(type, x)));
  }));
  table.add<math::IPowIOp>(zipIntegersChecked(raiseInteger));
}

void interp::addMathSemantics(SemanticsTable &table) {
  addFunctions(table);
  addTrigonometry(table);
  addRoundings(table);
  addIntegerFunctions(table);
  table.add<math::IsNormalOp>(runIsNormal);
}
