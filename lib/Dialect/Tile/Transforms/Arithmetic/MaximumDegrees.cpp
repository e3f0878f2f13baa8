//===- MaximumDegrees.cpp - Dependence of values on a maximum ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dataflow analysis of MaximumDegrees.h. One pass over the loop body
// applies a transfer function to each operation (visit). It is repeated with
// the degrees that the loop yields as degrees of the carried values, until they
// agree.
//
// Invariant: the degree of a carried value is Unknown or the one that the loop
// yielded; the last round of the iteration checks all of them. An operation
// that `visit` does not know may only use values that do not depend on the
// maximum.
//
//===----------------------------------------------------------------------===//

#include "MaximumDegrees.h"

#include "UniformScalars.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tile;

/// Degrees are sums of products of constants such as log2(e) and ln(2), which
/// are rounded to f32. A smaller difference is rounding.
constexpr double kRounding = 1e-6;

/// Powers of a higher degree may overflow if the reference is below the
/// maximum.
constexpr double kMaxDegree = 3;

Value RunningMaximum::getScores() {
  return maximum.getLhs() == getBefore() ? maximum.getRhs() : maximum.getLhs();
}

std::optional<RunningMaximum> tile::findRunningMaximum(scf::ForOp loop,
                                                       unsigned index) {
  auto type = dyn_cast<RankedTensorType>(loop.getResult(index).getType());
  auto maximum =
      loop.getYieldedValues()[index].getDefiningOp<arith::MaximumFOp>();
  if (!type || type.getRank() != 1 || !type.getElementType().isF32() ||
      !maximum || maximum->getBlock() != loop.getBody())
    return std::nullopt;
  RunningMaximum running = {loop, index, maximum};
  if (!llvm::is_contained(maximum->getOperands(), running.getBefore()))
    return std::nullopt;
  return running;
}

/// Checks whether all elements of `value` are zero: it has any degree.
static bool isZero(Value value) {
  std::optional<double> constant = getConstantFloat(value);
  return constant && *constant == 0;
}

/// Checks whether all elements of `value` are infinite: adding a maximum, or
/// multiplying by a power of 2, does not change it.
static bool isInfinite(Value value) {
  std::optional<double> constant = getConstantFloat(value);
  return constant && std::isinf(*constant);
}

static Degree negate(Degree degree) {
  degree.before = -degree.before;
  degree.after = -degree.after;
  return degree;
}

static Degree scale(Degree degree, double factor) {
  degree.before *= factor;
  degree.after *= factor;
  return degree;
}

/// Returns 0 for a degree that differs from 0 by rounding only.
static Degree normalize(Degree degree) {
  if (std::abs(degree.before) < kRounding)
    degree.before = 0;
  if (std::abs(degree.after) < kRounding)
    degree.after = 0;
  if (degree.isFree())
    return Degree();
  return degree;
}

/// Checks whether two degrees of one kind are equal up to rounding.
static bool agree(const Degree &a, const Degree &b) {
  return a.kind == b.kind && std::abs(a.before - b.before) < kRounding &&
         std::abs(a.after - b.after) < kRounding &&
         (a.isFree() || a.rows == b.rows);
}

LogicalResult MaximumDegrees::fail(Operation *op, const Twine &reason) {
  place = op;
  why = reason.str();
  return failure();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Returns the degree of a value that is one of two values, or that compares
/// them.
FailureOr<Degree> MaximumDegrees::join(Operation *op, Value lhs, Value rhs) {
  Degree a = get(lhs), b = get(rhs);
  if (a.kind == Degree::Unknown)
    return b;
  if (b.kind == Degree::Unknown || agree(a, b))
    return a;
  auto isNeutral = [](Value value, const Degree &other) {
    return isInfinite(value) || (isZero(value) && other.kind == Degree::Power);
  };
  if (isNeutral(lhs, b))
    return b;
  if (isNeutral(rhs, a))
    return a;
  return fail(op, "values that depend differently on the maximum are compared "
                  "or selected");
}

LogicalResult MaximumDegrees::checkRows(Operation *op, const Degree &lhs,
                                        const Degree &rhs) {
  if (lhs.isFree() || rhs.isFree() || lhs.rows == rhs.rows)
    return success();
  return fail(op, "maxima of rows and of columns are combined");
}

FailureOr<Degree> MaximumDegrees::getSum(Operation *op, Degree lhs,
                                         Degree rhs) {
  if (lhs.kind == Degree::Unknown)
    return rhs;
  if (rhs.kind == Degree::Unknown ||
      (lhs.kind == Degree::Power && agree(lhs, rhs)))
    return lhs;
  bool isSum = (lhs.kind == Degree::Sum || lhs.isFree()) &&
               (rhs.kind == Degree::Sum || rhs.isFree());
  if (!isSum)
    return fail(op, "values that are relative to different maxima are added");
  if (failed(checkRows(op, lhs, rhs)))
    return failure();
  return normalize({Degree::Sum, lhs.before + rhs.before, lhs.after + rhs.after,
                    lhs.isFree() ? rhs.rows : lhs.rows});
}

FailureOr<Degree> MaximumDegrees::getProduct(Operation *op, Value lhs,
                                             Value rhs) {
  Degree a = get(lhs), b = get(rhs);
  if (a.kind == Degree::Unknown || b.kind == Degree::Unknown)
    return Degree{Degree::Unknown};
  if (a.kind == Degree::Sum || b.kind == Degree::Sum) {
    if (a.kind == Degree::Sum && b.kind == Degree::Sum)
      return fail(op, "the maximum is multiplied by itself");
    std::optional<double> factor =
        getConstantFloat(a.kind == Degree::Sum ? rhs : lhs);
    if (!factor || !std::isfinite(*factor))
      return fail(op, "the maximum is multiplied by a number that is not known "
                      "at compile time");
    return normalize(scale(a.kind == Degree::Sum ? a : b, *factor));
  }
  if (failed(checkRows(op, a, b)))
    return failure();
  return normalize({Degree::Power, a.before + b.before, a.after + b.after,
                    a.isFree() ? b.rows : a.rows});
}

FailureOr<Degree> MaximumDegrees::getReduction(Operation *op, ReduceKind kind,
                                               unsigned axis, bool isDropped) {
  Degree degree = get(op->getOperand(0));
  if (degree.kind == Degree::Unknown)
    return degree;
  if (axis == degree.rows)
    return fail(op, "rows with different maxima are combined");
  if (degree.kind == Degree::Sum && kind == ReduceKind::Sum)
    return fail(op, "the maximum is added up");
  if (isDropped && axis < degree.rows)
    --degree.rows;
  return degree;
}

FailureOr<Degree> MaximumDegrees::getMatrixProduct(GemmOp product) {
  Degree a = get(product.getA()), b = get(product.getB());
  Degree sum = get(product.getAccumulator());
  Degree result;
  if (a.kind == Degree::Unknown || b.kind == Degree::Unknown) {
    result.kind = Degree::Unknown;
  } else if (!a.isFree() || !b.isFree()) {
    if (!a.isFree() && !b.isFree())
      return fail(product, "both operands of a product depend on the maximum");
    result = a.isFree() ? b : a;
    if (result.kind == Degree::Sum)
      return fail(product, "the maximum is an operand of a product");
    unsigned term =
        a.isFree() ? product.getTermDimOfB() : product.getTermDimOfA();
    if (result.rows == term)
      return fail(product, "rows with different maxima are combined");
    result.rows = a.isFree() ? 1 : 0;
  }
  if (isZero(product.getAccumulator()))
    return result;
  return getSum(product, result, sum);
}

/// Checks whether `getResult` handles `op`.
static bool isHandled(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp,
             arith::DivFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::SelectOp,
             arith::ExtFOp, arith::TruncFOp, math::Exp2Op, math::Log2Op,
             ReduceOp, ScanOp, ExpandDimsOp, BroadcastOp, TransposeOp, GemmOp>(
      op);
}

/// Returns why results of another op may depend on the reference.
static StringRef getReasonAgainst(Operation *op) {
  if (isa<math::ExpOp, math::LogOp>(op))
    return "'exp' and 'log' of base e are kept";
  if (isa<LoopLikeOpInterface>(op))
    return "another loop uses a value that depends on the maximum";
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return "a value that depends on the maximum becomes an integer";
  if (isa<StoreOp, AtomicOp>(op))
    return "a value that depends on the maximum is stored";
  return "an operation on a value that depends on the maximum is not "
         "homogeneous";
}

FailureOr<Degree> MaximumDegrees::getResult(Operation *op) {
  if (op == running.maximum) {
    if (!get(running.getScores()).isFree())
      return fail(op, "the maximum is taken of values that depend on it");
    return Degree{Degree::Sum, 0, 1, 0};
  }
  Degree first = op->getNumOperands() ? get(op->getOperand(0)) : Degree();
  return llvm::TypeSwitch<Operation *, FailureOr<Degree>>(op)
      .Case([&](arith::AddFOp) {
        if (isZero(op->getOperand(0)))
          return FailureOr<Degree>(get(op->getOperand(1)));
        if (isZero(op->getOperand(1)))
          return FailureOr<Degree>(first);
        return getSum(op, first, get(op->getOperand(1)));
      })
      .Case([&](arith::SubFOp) {
        Degree second = get(op->getOperand(1));
        if (second.kind == Degree::Sum)
          second = negate(second);
        if (isZero(op->getOperand(0)))
          return FailureOr<Degree>(second);
        return getSum(op, first, second);
      })
      .Case([&](arith::MulFOp) {
        return getProduct(op, op->getOperand(0), op->getOperand(1));
      })
      .Case([&](math::FmaOp) -> FailureOr<Degree> {
        FailureOr<Degree> product =
            getProduct(op, op->getOperand(0), op->getOperand(1));
        if (failed(product))
          return failure();
        return getSum(op, *product, get(op->getOperand(2)));
      })
      .Case([&](arith::DivFOp) -> FailureOr<Degree> {
        Degree second = get(op->getOperand(1));
        if (first.kind == Degree::Unknown || second.kind == Degree::Unknown)
          return Degree{Degree::Unknown};
        if (first.kind == Degree::Sum || second.kind == Degree::Sum)
          return fail(op, "the maximum is an operand of a quotient");
        if (failed(checkRows(op, first, second)))
          return failure();
        return normalize({Degree::Power, first.before - second.before,
                          first.after - second.after,
                          first.isFree() ? second.rows : first.rows});
      })
      .Case([&](arith::NegFOp) {
        return FailureOr<Degree>(first.kind == Degree::Sum ? negate(first)
                                                           : first);
      })
      .Case<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>([&](Operation *) {
        return join(op, op->getOperand(0), op->getOperand(1));
      })
      .Case([&](arith::CmpFOp) -> FailureOr<Degree> {
        if (failed(join(op, op->getOperand(0), op->getOperand(1))))
          return failure();
        return Degree();
      })
      .Case([&](arith::SelectOp) {
        return join(op, op->getOperand(1), op->getOperand(2));
      })
      .Case<arith::ExtFOp, BroadcastOp>(
          [&](Operation *) { return FailureOr<Degree>(first); })
      .Case([&](arith::TruncFOp) -> FailureOr<Degree> {
        if (first.kind == Degree::Sum)
          return fail(op, "the maximum is rounded to a narrower type");
        return first;
      })
      .Case([&](math::Exp2Op) -> FailureOr<Degree> {
        if (first.kind == Degree::Power)
          return fail(op, "a power of the maximum is an exponent");
        if (first.kind == Degree::Sum)
          first.kind = Degree::Power;
        return first;
      })
      .Case([&](math::Log2Op) -> FailureOr<Degree> {
        if (first.kind == Degree::Sum)
          return fail(op, "the logarithm of the maximum is taken");
        if (first.kind == Degree::Power)
          first.kind = Degree::Sum;
        return first;
      })
      .Case([&](ReduceOp reduce) {
        return getReduction(op, reduce.getKind(), reduce.getAxis(),
                            !reduce.getKeep());
      })
      .Case([&](ScanOp scan) {
        return getReduction(op, scan.getKind(), scan.getAxis(), false);
      })
      .Case([&](ExpandDimsOp expand) {
        if (expand.getAxis() <= first.rows)
          ++first.rows;
        return FailureOr<Degree>(first);
      })
      .Case([&](TransposeOp) {
        first.rows = 1 - first.rows;
        return FailureOr<Degree>(first);
      })
      .Case([&](GemmOp product) { return getMatrixProduct(product); });
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult MaximumDegrees::visitBranch(scf::IfOp branch) {
  if (failed(runBlock(*branch.thenBlock())) ||
      (branch.elseBlock() && failed(runBlock(*branch.elseBlock()))))
    return failure();
  for (OpResult result : branch.getResults()) {
    unsigned number = result.getResultNumber();
    FailureOr<Degree> degree =
        join(branch, branch.thenYield().getOperand(number),
             branch.elseYield().getOperand(number));
    if (failed(degree))
      return failure();
    degrees[result] = *degree;
  }
  return success();
}

LogicalResult MaximumDegrees::visit(Operation *op) {
  auto isBound = [&](Value value) { return !get(value).isFree(); };
  auto isUnknown = [&](Value value) {
    return get(value).kind == Degree::Unknown;
  };
  // Conditions do not depend on the maximum: comparisons of other values fail.
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitBranch(branch);
  SmallVector<Value> bound;
  op->walk([&](Operation *inner) {
    llvm::copy_if(inner->getOperands(), std::back_inserter(bound), isBound);
  });
  if (op != running.maximum && bound.empty())
    return success();
  if (!isHandled(op)) {
    // The next round has more degrees.
    if (llvm::all_of(bound, isUnknown)) {
      for (Value result : op->getResults())
        degrees[result].kind = Degree::Unknown;
      return success();
    }
    return fail(op, getReasonAgainst(op));
  }
  FailureOr<Degree> degree = getResult(op);
  if (failed(degree))
    return failure();
  if (degree->kind == Degree::Power && (std::abs(degree->before) > kMaxDegree ||
                                        std::abs(degree->after) > kMaxDegree))
    return fail(op, "a high power of the maximum may overflow");
  degrees[op->getResult(0)] = *degree;
  return success();
}

LogicalResult MaximumDegrees::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult MaximumDegrees::runLoop(ArrayRef<Degree> carried) {
  degrees.clear();
  for (auto [argument, degree] :
       llvm::zip_equal(running.loop.getRegionIterArgs(), carried))
    degrees[argument] = degree;
  return runBlock(*running.loop.getBody());
}

LogicalResult MaximumDegrees::run() {
  scf::ForOp loop = running.loop;
  Operation *yield = loop.getBody()->getTerminator();
  // Numbers that are not floats cannot be relative to the maximum.
  SmallVector<Degree> carried;
  for (Value argument : loop.getRegionIterArgs())
    carried.push_back(isa<FloatType>(getElementType(argument))
                          ? Degree{Degree::Unknown}
                          : Degree());
  carried[running.index] = {Degree::Sum, 1, 0, 0};
  // Each round finds the degree of at least one more value. The last round
  // checks all degrees.
  for (unsigned round = 0, end = carried.size() + 2; round != end; ++round) {
    if (failed(runLoop(carried)))
      return failure();
    bool isStable = true;
    for (auto [degree, value] :
         llvm::zip_equal(carried, loop.getYieldedValues())) {
      Degree yielded = get(value);
      if (yielded.kind == Degree::Unknown)
        continue;
      if (yielded.before != 0)
        return fail(value.getDefiningOp() ? value.getDefiningOp() : yield,
                    "a carried value stays relative to the maximum of the "
                    "iteration before");
      std::swap(yielded.before, yielded.after);
      if (degree.kind == Degree::Unknown)
        isStable = false;
      else if (!agree(degree, yielded))
        return fail(value.getDefiningOp() ? value.getDefiningOp() : yield,
                    "a carried value is relative to the maximum in another way "
                    "than in the iteration before");
      if (degree.kind == Degree::Unknown)
        degree = yielded;
    }
    if (!isStable)
      continue;
    // Values whose degree is still unknown do not depend on the maximum.
    bool isComplete = true;
    for (Degree &degree : carried)
      if (degree.kind == Degree::Unknown) {
        degree = Degree();
        isComplete = false;
      }
    if (isComplete)
      break;
  }
  for (auto [result, degree] : llvm::zip_equal(loop.getResults(), carried))
    degrees[result] = degree;
  return runAfterLoop();
}

/// Visits the ops that may use results of the loop, in its block. Values that
/// this block yields must not depend on the maximum.
LogicalResult MaximumDegrees::runAfterLoop() {
  Operation *op = running.loop->getNextNode();
  for (; op && !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    if (failed(visit(op)))
      return failure();
  if (op && llvm::any_of(op->getOperands(),
                         [&](Value value) { return !get(value).isFree(); }))
    return fail(op, "a value that depends on the maximum leaves an outer loop "
                    "or branch");
  return success();
}
