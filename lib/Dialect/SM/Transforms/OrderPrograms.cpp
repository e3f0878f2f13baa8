//===- OrderPrograms.cpp - Long programs first ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-order-programs. How long a program takes is told by the bounds of
// its loops: whether their distance rises or falls with a coordinate, by the
// signs of the operations between. A wrong guess costs time, not results.
//
//===----------------------------------------------------------------------===//

#include "TmaFetch.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"

namespace tessera::sm {
#define GEN_PASS_DEF_ORDERPROGRAMSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// How values change with a coordinate
//===----------------------------------------------------------------------===//

namespace {
enum class Trend { Constant, Rising, Falling, Unknown };

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

/// Whether `value` is surely not negative.
static bool isCount(Value value) {
  APInt constant;
  return value.getDefiningOp<tile::SizeOp>() ||
         (matchPattern(value, m_ConstantInt(&constant)) &&
          !constant.isNegative());
}

Trend Trends::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  // What loops carry may be anything; what they start from is not asked.
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

/// How often loops of `kernel` run while `coordinate` rises. Loops of which
/// that is not known have no say: where a mask is peeled off, the loop over the
/// rest is one of them.
static Trend getLength(KernelOp kernel, Value coordinate) {
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

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// Where a program stands along an axis, and how many stand there.
struct Coordinate {
  Value value;
  tile::SizeAttr count;
};
} // namespace

/// Adds the coordinates that are taken out of `number`, what is left of the
/// number of the program after the first `axis` ones: a remainder, and the last
/// one is what is left.
static void addCoordinates(Value number, ArrayRef<tile::SizeAttr> counts,
                           SmallVectorImpl<Coordinate> &found) {
  if (counts.size() == 1) {
    found.push_back({number, counts.front()});
    return;
  }
  for (Operation *user : number.getUsers()) {
    bool divides = isa<arith::DivUIOp>(user);
    if ((!divides && !isa<arith::RemUIOp>(user)) ||
        user->getOperand(0) != number ||
        !isSize(user->getOperand(1), counts.front()))
      continue;
    if (divides)
      addCoordinates(user->getResult(0), counts.drop_front(), found);
    else
      found.push_back({user->getResult(0), counts.front()});
  }
}

namespace {
struct OrderPrograms : sm::impl::OrderProgramsPassBase<OrderPrograms> {
  using OrderProgramsPassBase::OrderProgramsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Planned || kernel.getPersistent())
      return;
    SmallVector<tile::SizeAttr> counts(kernel.getProgramCounts());
    if (counts.empty())
      return;
    SmallVector<Coordinate> coordinates;
    kernel.walk([&](ProgramIdOp id) {
      addCoordinates(id.getResult(), counts, coordinates);
    });
    for (Coordinate coordinate : coordinates)
      if (getLength(kernel, coordinate.value) == Trend::Rising)
        reverse(coordinate);
  }

  /// Counts `coordinate` from its end.
  void reverse(Coordinate coordinate) {
    Operation *op = coordinate.value.getDefiningOp();
    Location loc = op->getLoc();
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Value count = tile::SizeOp::create(builder, loc, builder.getIndexType(),
                                       coordinate.count);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, count, one);
    auto reversed = arith::SubIOp::create(builder, loc, last, coordinate.value);
    coordinate.value.replaceAllUsesExcept(reversed, reversed);
    if (remarks)
      op->emitRemark() << "programs far along this axis take longer, and begin "
                          "first"
                       << " [programs-ordered]";
    ++numReversed;
  }
};
} // namespace
