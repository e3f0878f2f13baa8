//===- ProgramLengths.cpp - Trends of program lengths -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramLengths.h"

#include "mlir/IR/Matchers.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// The trends of values while one of them rises.
class Trends {
public:
  explicit Trends(Value rising) { known[rising] = Trend::Rising; }

  Trend get(Value value);

private:
  Trend compute(Operation *op);

  llvm::DenseMap<Value, Trend> known;
};
} // namespace

/// Of a sum, a minimum or a maximum.
static Trend join(Trend a, Trend b) {
  if (a == b || b == Trend::Constant)
    return a;
  return a == Trend::Constant ? b : Trend::Unknown;
}

static Trend flip(Trend trend) {
  if (trend == Trend::Rising)
    return Trend::Falling;
  return trend == Trend::Falling ? Trend::Rising : trend;
}

/// Checks whether `value` is surely not negative.
static bool isCount(Value value) {
  APInt constant;
  return value.getDefiningOp<tile::SizeOp>() ||
         (matchPattern(value, m_ConstantInt(&constant)) &&
          !constant.isNegative());
}

Trend Trends::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  // Carried values may be anything; their initial values are ignored.
  Trend trend = Trend::Unknown;
  if (Operation *op = value.getDefiningOp()) {
    if (op->getNumRegions() == 0)
      trend = compute(op);
  } else if (isa<KernelOp>(value.getParentBlock()->getParentOp())) {
    trend = Trend::Constant;
  }
  return known[value] = trend;
}

Trend Trends::compute(Operation *op) {
  if (llvm::all_of(op->getOperands(), [&](Value operand) {
        return get(operand) == Trend::Constant;
      }))
    return Trend::Constant;
  if (isa<arith::AddIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return join(get(op->getOperand(0)), get(op->getOperand(1)));
  if (isa<arith::SubIOp>(op))
    return join(get(op->getOperand(0)), flip(get(op->getOperand(1))));
  if (isa<arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
          arith::FloorDivSIOp>(op) &&
      isCount(op->getOperand(1)))
    return get(op->getOperand(0));
  if (isa<arith::IndexCastOp>(op))
    return get(op->getOperand(0));
  return Trend::Unknown;
}

Trend sm::getLength(KernelOp kernel, Value coordinate) {
  Trends trends(coordinate);
  Trend length = Trend::Constant;
  kernel.walk([&](scf::ForOp loop) {
    Trend bound = join(trends.get(loop.getUpperBound()),
                       flip(trends.get(loop.getLowerBound())));
    if (bound != Trend::Unknown)
      length = join(length, bound);
  });
  return length;
}
