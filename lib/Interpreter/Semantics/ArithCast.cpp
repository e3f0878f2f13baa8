//===- ArithCast.cpp - Constants, casts and selection -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of `arith` that convert values between types, and those that
// only select or forward values. Floats become integers by truncation. Values
// out of range saturate and NaN becomes 0, like the hardware's conversion
// (upstream leaves the result undefined).
//
// An integer is rounded once to a narrow float: `toDouble` keeps the bits that
// do not fit as a sticky bit.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <cmath>

using namespace tessera;
using namespace tessera::interp;

static Tile makeConstant(arith::ConstantOp op) {
  Tile tile = Frame::makeWhole(op.getType());
  Attribute value = op.getValue();
  if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
    size_t next = 0;
    if (tile.isFloat()) {
      visitFloats(tile.getType(), [&](auto number) {
        auto out = tile.getMutable<decltype(number)>();
        if (elements.isSplat())
          llvm::fill(out, elements.getSplatValue<APFloat>().convertToDouble());
        else
          for (const APFloat &element : elements.getValues<APFloat>())
            out[next++] = element.convertToDouble();
      });
    } else {
      MutableArrayRef<int64_t> out = tile.mutableIntegers();
      if (elements.isSplat())
        llvm::fill(out, elements.getSplatValue<APInt>().getSExtValue());
      else
        for (const APInt &element : elements.getValues<APInt>())
          out[next++] = element.getSExtValue();
    }
  } else if (auto number = dyn_cast<FloatAttr>(value)) {
    tile = Tile::getFloat(tile.getType(), number.getValueAsDouble());
  } else if (auto number = dyn_cast<IntegerAttr>(value)) {
    tile.mutableIntegers().front() = number.getValue().getSExtValue();
  }
  tile.normalize();
  return tile;
}

static LogicalResult runConstant(arith::ConstantOp op, Frame &frame) {
  auto [it, isNew] = frame.getConstants().try_emplace(op);
  if (isNew) {
    if (!isa<DenseElementsAttr, FloatAttr, IntegerAttr>(op.getValue()))
      return frame.report(op, "the interpreter does not know constants of "
                              "this kind");
    it->second = makeConstant(op);
  }
  frame.set(op.getResult(), frame.getOwnPart(op.getType(), it->second));
  return success();
}

static LogicalResult runSelect(arith::SelectOp op, Frame &frame) {
  const Tile &condition = frame.getTile(op.getCondition());
  // A scalar chooses whole tiles. A scalar of a combiner has many elements.
  if (!isa<ShapedType>(op.getCondition().getType()) &&
      condition.getNumElements() == 1) {
    RuntimeValue chosen = frame.get(
        condition.getInteger() ? op.getTrueValue() : op.getFalseValue());
    frame.set(op.getResult(), std::move(chosen));
    return success();
  }
  Tile result = frame.makeResult(op);
  const Tile &x = frame.getTile(op.getTrueValue());
  const Tile &y = frame.getTile(op.getFalseValue());
  ArrayRef<int64_t> choice = condition.integers();
  visitNumbers(result.getType(), [&](auto number) {
    using T = decltype(number);
    ArrayRef<T> chosen = x.get<T>(), other = y.get<T>();
    MutableArrayRef<T> out = result.getMutable<T>();
    for (size_t i = 0, e = out.size(); i < e; ++i)
      out[i] = choice[i] ? chosen[i] : other[i];
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

/// Rounds once to the type of the result.
static LogicalResult runFloatCast(Operation *op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &source = frame.getTile(op->getOperand(0));
  visitFloats(source.getType(), [&](auto from) {
    visitFloats(result.getType(), [&](auto to) {
      using T = decltype(to);
      ArrayRef<decltype(from)> x = source.get<decltype(from)>();
      for (auto [out, in] : llvm::zip_equal(result.getMutable<T>(), x))
        out = roundToType<T>(result.getType(), in);
    });
  });
  frame.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult runTruncF(arith::TruncFOp op, Frame &frame) {
  if (std::optional<arith::RoundingMode> mode = op.getRoundingmode())
    if (*mode != arith::RoundingMode::to_nearest_even)
      return frame.report(op, "the interpreter rounds to nearest even only");
  return runFloatCast(op, frame);
}

static LogicalResult runBitcast(arith::BitcastOp op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &source = frame.getTile(op.getIn());
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i)
    result.setBits(i, source.getBits(i));
  frame.set(op.getResult(), std::move(result));
  return success();
}

/// Returns an f64 that rounds to any narrower format like the integer itself:
/// the last bit collects the bits that do not fit (a sticky bit).
static double toDouble(uint64_t magnitude) {
  if (magnitude >> 53)
    magnitude = (magnitude & ~uint64_t(2047)) |
                ((magnitude & 2047) != 0 ? uint64_t(2048) : 0);
  return static_cast<double>(magnitude);
}

template <bool isSigned>
static LogicalResult runToFloat(Operation *op, Frame &frame) {
  Tile result = frame.makeResult(op);
  const Tile &source = frame.getTile(op->getOperand(0));
  ArrayRef<int64_t> x = source.integers();
  visitFloats(result.getType(), [&](auto number) {
    using T = decltype(number);
    MutableArrayRef<T> out = result.getMutable<T>();
    for (size_t i = 0, e = out.size(); i < e; ++i) {
      int64_t value = isSigned ? asSigned(source.getType(), x[i]) : 0;
      bool isNegative = value < 0;
      uint64_t magnitude = !isSigned    ? asUnsigned(source.getType(), x[i])
                           : isNegative ? 0 - uint64_t(value)
                                        : uint64_t(value);
      double wide = std::is_same_v<T, double> ? static_cast<double>(magnitude)
                                              : toDouble(magnitude);
      out[i] = roundToType<T>(result.getType(), isNegative ? -wide : wide);
    }
  });
  frame.set(op->getResult(0), std::move(result));
  return success();
}

template <bool isSigned>
static LogicalResult runToInteger(Operation *op, Frame &frame) {
  Tile result = frame.makeResult(op);
  ElementType type = result.getType();
  int width = type == ElementType::I1 ? 1 : getBitWidth(type);
  double low = isSigned ? -std::ldexp(1.0, width - 1) : 0.0;
  double end = std::ldexp(1.0, isSigned ? width - 1 : width);
  uint64_t last = isSigned ? (uint64_t(1) << (width - 1)) - 1
                           : ~uint64_t(0) >> (64 - width);
  const Tile &source = frame.getTile(op->getOperand(0));
  MutableArrayRef<int64_t> out = result.mutableIntegers();
  for (size_t i = 0, e = out.size(); i < e; ++i) {
    double value = std::trunc(source.getFloat(i));
    if (std::isnan(value))
      out[i] = 0;
    else if (value >= end)
      out[i] = static_cast<int64_t>(last);
    else if (value <= low)
      out[i] = isSigned ? int64_t(~uint64_t(0) << (width - 1)) : 0;
    else
      out[i] = isSigned ? int64_t(value) : int64_t(uint64_t(value));
  }
  result.normalize();
  frame.set(op->getResult(0), std::move(result));
  return success();
}

void interp::addArithCastSemantics(SemanticsTable &table) {
  table.add<arith::ConstantOp>(runConstant);
  table.add<arith::SelectOp>(runSelect);
  table.add<arith::BitcastOp>(runBitcast);
  table.add<arith::TruncFOp>(runTruncF);
  table.add<arith::ExtFOp>(runFloatCast);

  auto signExtend = mapIntegers(
      [](ElementType type, int64_t x) { return asSigned(type, x); });
  auto zeroExtend = mapIntegers(
      [](ElementType type, int64_t x) { return int64_t(asUnsigned(type, x)); });
  table.add<arith::ExtSIOp>(signExtend);
  table.add<arith::IndexCastOp>(signExtend);
  table.add<arith::ExtUIOp>(zeroExtend);
  table.add<arith::IndexCastUIOp>(zeroExtend);
  table.add<arith::TruncIOp>(signExtend);

  table.add<arith::SIToFPOp>(runToFloat<true>);
  table.add<arith::UIToFPOp>(runToFloat<false>);
  table.add<arith::FPToSIOp>(runToInteger<true>);
  table.add<arith::FPToUIOp>(runToInteger<false>);
}
