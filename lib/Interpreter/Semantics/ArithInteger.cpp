//===- ArithInteger.cpp - Integer arithmetic --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer operations of `arith`. Arithmetic wraps, whatever the overflow flags
// are. Results that upstream leaves undefined are defects: division by zero,
// the signed division that overflows, shifts by the width or more. `floordivsi`
// is the division of the language, which defines all results.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace tessera;
using namespace tessera::interp;

static Defect checkSignedDivision(ElementType type, int64_t &x, int64_t &y) {
  x = asSigned(type, x);
  y = asSigned(type, y);
  if (y == 0)
    return "division by zero";
  unsigned width = type == ElementType::I1 ? 1 : getBitWidth(type);
  int64_t least = std::numeric_limits<int64_t>::min() >> (64 - width);
  if (x == least && y == -1)
    return "signed division overflows";
  return nullptr;
}

/// Makes signed division semantics from `divide(int64_t, int64_t)`.
template <typename Divide>
static Semantics divideSigned(Divide divide) {
  return zipIntegersChecked(
      [divide](ElementType type, int64_t x, int64_t y, int64_t &out) -> Defect {
        if (Defect defect = checkSignedDivision(type, x, y))
          return defect;
        out = divide(x, y);
        return nullptr;
      });
}

/// Computes the division of the language, which is defined for all operands:
/// division by zero yields zero, and the smallest integer divided by -1 wraps
/// around to itself.
static Defect divideDown(ElementType type, int64_t x, int64_t y, int64_t &out) {
  x = asSigned(type, x);
  y = asSigned(type, y);
  if (y == 0)
    out = 0;
  else if (y == -1)
    out = static_cast<int64_t>(-static_cast<uint64_t>(x));
  else
    out = x / y - (x % y != 0 && (x < 0) != (y < 0));
  return nullptr;
}

template <typename Divide>
static Semantics divideUnsigned(Divide divide) {
  return zipIntegersChecked(
      [divide](ElementType type, int64_t x, int64_t y, int64_t &out) -> Defect {
        uint64_t a = asUnsigned(type, x), b = asUnsigned(type, y);
        if (b == 0)
          return "division by zero";
        out = static_cast<int64_t>(divide(a, b));
        return nullptr;
      });
}

template <typename Shift>
static Semantics shiftBy(Shift shift) {
  return zipIntegersChecked(
      [shift](ElementType type, int64_t x, int64_t y, int64_t &out) -> Defect {
        uint64_t amount = asUnsigned(type, y);
        if (amount >= getBitWidth(type))
          return "shift by the width of the type or more";
        out = static_cast<int64_t>(shift(type, x, amount));
        return nullptr;
      });
}

/// Makes semantics from `choose(less, x, y)`, where `less` compares signed or
/// unsigned.
template <bool isSigned, bool takeLess>
static Semantics chooseInteger() {
  return zipIntegersChecked(
      [](ElementType type, int64_t x, int64_t y, int64_t &out) -> Defect {
        bool less = isSigned ? asSigned(type, x) < asSigned(type, y)
                             : asUnsigned(type, x) < asUnsigned(type, y);
        out = less == takeLess ? x : y;
        return nullptr;
      });
}

static bool compareIntegers(arith::CmpIPredicate predicate, ElementType type,
                            int64_t x, int64_t y) {
  int64_t a = asSigned(type, x), b = asSigned(type, y);
  uint64_t c = asUnsigned(type, x), d = asUnsigned(type, y);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return c < d;
  case arith::CmpIPredicate::ule:
    return c <= d;
  case arith::CmpIPredicate::ugt:
    return c > d;
  case arith::CmpIPredicate::uge:
    return c >= d;
  }
  return false;
}

static LogicalResult runCompare(arith::CmpIOp op, Frame &frame) {
  arith::CmpIPredicate predicate = op.getPredicate();
  ElementType type = frame.getTile(op.getLhs()).getType();
  return zipBits([=](int64_t x, int64_t y) -> uint64_t {
    return compareIntegers(predicate, type, x, y);
  })(op, frame);
}

/// Makes semantics with two results from `compute(type, x, y, low, high)`.
template <typename Compute>
static Semantics computeExtended(Compute compute) {
  return [compute](Operation *op, Frame &frame) {
    Tile low = frame.makeResult(op, 0), high = frame.makeResult(op, 1);
    const Tile &lhs = frame.getTile(op->getOperand(0));
    ArrayRef<int64_t> x = lhs.integers();
    ArrayRef<int64_t> y = frame.getTile(op->getOperand(1)).integers();
    MutableArrayRef<int64_t> lowOut = low.mutableIntegers();
    MutableArrayRef<int64_t> highOut = high.mutableIntegers();
    for (size_t i = 0, e = x.size(); i < e; ++i)
      compute(lhs.getType(), x[i], y[i], lowOut[i], highOut[i]);
    low.normalize();
    high.normalize();
    frame.set(op->getResult(0), std::move(low));
    frame.set(op->getResult(1), std::move(high));
    return success();
  };
}

static void addArithmetic(SemanticsTable &table) {
  table.add<arith::AddIOp>(
      zipBits([](int64_t x, int64_t y) { return uint64_t(x) + uint64_t(y); }));
  table.add<arith::SubIOp>(
      zipBits([](int64_t x, int64_t y) { return uint64_t(x) - uint64_t(y); }));
  table.add<arith::MulIOp>(
      zipBits([](int64_t x, int64_t y) { return uint64_t(x) * uint64_t(y); }));
  table.add<arith::AndIOp>(
      zipBits([](int64_t x, int64_t y) { return uint64_t(x & y); }));
  table.add<arith::OrIOp>(
      zipBits([](int64_t x, int64_t y) { return uint64_t(x | y); }));
  table.add<arith::XOrIOp>(
      zipBits([](int64_t x, int64_t y) { return uint64_t(x ^ y); }));
  table.add<arith::MaxSIOp>(chooseInteger<true, false>());
  table.add<arith::MinSIOp>(chooseInteger<true, true>());
  table.add<arith::MaxUIOp>(chooseInteger<false, false>());
  table.add<arith::MinUIOp>(chooseInteger<false, true>());
}

static void addDivisionsAndShifts(SemanticsTable &table) {
  table.add<arith::DivSIOp>(
      divideSigned([](int64_t x, int64_t y) { return x / y; }));
  table.add<arith::FloorDivSIOp>(zipIntegersChecked(divideDown));
  table.add<arith::CeilDivSIOp>(divideSigned([](int64_t x, int64_t y) {
    return x / y + (x % y != 0 && (x < 0) == (y < 0));
  }));
  // The remainder of the division that overflows is defined: 0.
  table.add<arith::RemSIOp>(zipIntegersChecked(
      [](ElementType type, int64_t x, int64_t y, int64_t &out) -> Defect {
        x = asSigned(type, x);
        y = asSigned(type, y);
        if (y == 0)
          return "division by zero";
        out = y == -1 ? 0 : x % y;
        return nullptr;
      }));
  table.add<arith::DivUIOp>(
      divideUnsigned([](uint64_t x, uint64_t y) { return x / y; }));
  table.add<arith::CeilDivUIOp>(divideUnsigned(
      [](uint64_t x, uint64_t y) { return x / y + (x % y != 0); }));
  table.add<arith::RemUIOp>(
      divideUnsigned([](uint64_t x, uint64_t y) { return x % y; }));
  table.add<arith::ShLIOp>(shiftBy([](ElementType, int64_t x, uint64_t amount) {
    return uint64_t(x) << amount;
  }));
  table.add<arith::ShRSIOp>(
      shiftBy([](ElementType type, int64_t x, uint64_t amount) {
        return asSigned(type, x) >> amount;
      }));
  table.add<arith::ShRUIOp>(
      shiftBy([](ElementType type, int64_t x, uint64_t amount) {
        return asUnsigned(type, x) >> amount;
      }));
}

static void addExtended(SemanticsTable &table) {
  table.add<arith::AddUIExtendedOp>(computeExtended(
      [](ElementType type, int64_t x, int64_t y, int64_t &sum, int64_t &carry) {
        sum = wrap(type, int64_t(uint64_t(x) + uint64_t(y)));
        carry = asUnsigned(type, sum) < asUnsigned(type, x);
      }));
  table.add<arith::MulSIExtendedOp>(computeExtended(
      [](ElementType type, int64_t x, int64_t y, int64_t &low, int64_t &high) {
        __int128 product = __int128(asSigned(type, x)) * asSigned(type, y);
        low = int64_t(product);
        high = int64_t(product >> getBitWidth(type));
      }));
  table.add<arith::MulUIExtendedOp>(computeExtended(
      [](ElementType type, int64_t x, int64_t y, int64_t &low, int64_t &high) {
        auto product = static_cast<unsigned __int128>(asUnsigned(type, x)) *
                       asUnsigned(type, y);
        low = int64_t(product);
        high = int64_t(product >> getBitWidth(type));
      }));
}

void interp::addArithIntegerSemantics(SemanticsTable &table) {
  addArithmetic(table);
  addDivisionsAndShifts(table);
  addExtended(table);
  table.add<arith::CmpIOp>(runCompare);
}
