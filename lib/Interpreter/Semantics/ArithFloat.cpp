//===- ArithFloat.cpp - Float arithmetic ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Float operations of `arith`. Each is computed in f32 (f64 in f64) and then
// rounded to the element type. For the four operations this equals rounding the
// exact result once (innocuous double rounding): f32 has at least 2p + 2 digits
// for every narrow format with p digits.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace tessera;
using namespace tessera::interp;

/// Returns the larger or the smaller operand; zeros are ordered by their sign.
template <bool takeLess, typename T>
static T choose(T x, T y) {
  if (x == y)
    return std::signbit(x) == takeLess ? x : y;
  return (x < y) == takeLess ? x : y;
}

/// Returns semantics with the result NaN if either operand is NaN.
template <bool takeLess>
static Semantics choosePropagating() {
  return zipFloats([](auto x, auto y) {
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) ? x : y;
    return choose<takeLess>(x, y);
  });
}

/// Returns semantics with the other operand as the result if one is NaN.
template <bool takeLess>
static Semantics chooseNumber() {
  return zipFloats([](auto x, auto y) {
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) ? y : x;
    return choose<takeLess>(x, y);
  });
}

template <typename T>
static bool compareFloats(arith::CmpFPredicate predicate, T x, T y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return x == y;
  case arith::CmpFPredicate::OGT:
    return x > y;
  case arith::CmpFPredicate::OGE:
    return x >= y;
  case arith::CmpFPredicate::OLT:
    return x < y;
  case arith::CmpFPredicate::OLE:
    return x <= y;
  case arith::CmpFPredicate::ONE:
    return !unordered && x != y;
  case arith::CmpFPredicate::ORD:
    return !unordered;
  case arith::CmpFPredicate::UEQ:
    return unordered || x == y;
  case arith::CmpFPredicate::UGT:
    return unordered || x > y;
  case arith::CmpFPredicate::UGE:
    return unordered || x >= y;
  case arith::CmpFPredicate::ULT:
    return unordered || x < y;
  case arith::CmpFPredicate::ULE:
    return unordered || x <= y;
  case arith::CmpFPredicate::UNE:
    return unordered || x != y;
  case arith::CmpFPredicate::UNO:
    return unordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

static LogicalResult runCompare(arith::CmpFOp op, Frame &frame) {
  arith::CmpFPredicate predicate = op.getPredicate();
  Tile result = frame.makeResult(op);
  const Tile &lhs = frame.getTile(op.getLhs());
  const Tile &rhs = frame.getTile(op.getRhs());
  MutableArrayRef<int64_t> out = result.mutableIntegers();
  visitFloats(lhs.getType(), [&](auto number) {
    auto x = lhs.get<decltype(number)>(), y = rhs.get<decltype(number)>();
    for (size_t i = 0, e = out.size(); i < e; ++i)
      out[i] = compareFloats(predicate, x[i], y[i]);
  });
  frame.set(op.getResult(), std::move(result));
  return success();
}

void interp::addArithFloatSemantics(SemanticsTable &table) {
  table.add<arith::NegFOp>(mapFloats([](auto x) { return -x; }));
  table.add<arith::AddFOp>(zipFloats([](auto x, auto y) { return x + y; }));
  table.add<arith::SubFOp>(zipFloats([](auto x, auto y) { return x - y; }));
  table.add<arith::MulFOp>(zipFloats([](auto x, auto y) { return x * y; }));
  table.add<arith::DivFOp>(zipFloats([](auto x, auto y) { return x / y; }));
  table.add<arith::RemFOp>(
      zipFloats([](auto x, auto y) { return std::fmod(x, y); }));
  table.add<arith::MaximumFOp>(choosePropagating<false>());
  table.add<arith::MinimumFOp>(choosePropagating<true>());
  table.add<arith::MaxNumFOp>(chooseNumber<false>());
  table.add<arith::MinNumFOp>(chooseNumber<true>());
  table.add<arith::CmpFOp>(runCompare);
}
