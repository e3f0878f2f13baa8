//===- LinearBounds.cpp - Linear bounds of positions ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbolic linear arithmetic over SSA values, by recursion on the operations
// that define a value. Operations that are not linear become atoms. Tiles are
// evaluated in interval arithmetic over linear expressions.
//
// Invariant: all coefficients and constants are small (isSmall), so 64-bit sums
// of two expressions cannot overflow. The depth of the recursion is bounded by
// kMaxDepth.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace tessera;
using namespace tessera::tile;

/// Largest constant of an expression. Larger ones stay atoms, so that sums
/// cannot overflow.
constexpr int64_t kMaxConstant = int64_t(1) << 40;
constexpr unsigned kMaxTerms = 16;

static std::optional<int64_t> getSmallConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 40)
    return std::nullopt;
  return constant.getSExtValue();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

void LinearExpr::add(Value atom, int64_t coefficient) {
  auto *term =
      llvm::find_if(terms, [&](auto &term) { return term.first == atom; });
  if (term == terms.end()) {
    terms.push_back({atom, coefficient});
    return;
  }
  term->second += coefficient;
  if (term->second == 0)
    terms.erase(term);
}

LinearExpr LinearExpr::operator+(const LinearExpr &other) const {
  LinearExpr sum = *this;
  sum.constant += other.constant;
  for (auto [atom, coefficient] : other.terms)
    sum.add(atom, coefficient);
  return sum;
}

LinearExpr LinearExpr::operator*(int64_t factor) const {
  if (factor == 0)
    return 0;
  LinearExpr product = *this;
  product.constant *= factor;
  for (auto &term : product.terms)
    term.second *= factor;
  return product;
}

LinearExpr LinearExpr::operator-(const LinearExpr &other) const {
  return *this + other * -1;
}

int64_t LinearExpr::getCoefficient(Value atom) const {
  for (auto [other, coefficient] : terms)
    if (other == atom)
      return coefficient;
  return 0;
}

LinearExpr LinearExpr::without(Value atom) const {
  LinearExpr rest = *this;
  llvm::erase_if(rest.terms, [&](auto &term) { return term.first == atom; });
  return rest;
}

bool LinearExpr::isNonNegative() const {
  return constant >= 0 && llvm::all_of(terms, [](auto &term) {
           return term.second > 0 && tile::isNonNegative(term.first);
         });
}

/// Checks whether the numbers are small enough for further arithmetic.
static bool isSmall(const LinearExpr &expr) {
  return std::abs(expr.getConstant()) < kMaxConstant &&
         expr.getTerms().size() <= kMaxTerms &&
         llvm::all_of(
             expr.getTerms(),
             [](auto &term) {
               return std::abs(term.second) < (int64_t(1) << 20);
             });
}

//===----------------------------------------------------------------------===//
// Scalars and ranges
//===----------------------------------------------------------------------===//

LinearExpr LinearExpr::getStart(Value range, unsigned depth) {
  if (auto op = range.getDefiningOp<RangeOp>())
    return get(op.getStart(), depth);
  if (auto shift = range.getDefiningOp<ShiftOp>())
    return getStart(shift.getRange(), depth) + get(shift.getOffset(), depth);
  LinearExpr start;
  start.add(range, 1);
  return start;
}

LinearExpr LinearExpr::get(Value value, unsigned depth) {
  if (std::optional<int64_t> constant = getSmallConstant(value))
    return *constant;
  LinearExpr atom;
  atom.add(value, 1);
  Operation *op = value.getDefiningOp();
  // Narrow integers wrap at numbers that positions reach.
  if (!op || depth-- == 0 ||
      !(value.getType().isIndex() || value.getType().isInteger(64)))
    return atom;
  LinearExpr expr;
  if (isa<arith::AddIOp>(op)) {
    expr = get(op->getOperand(0), depth) + get(op->getOperand(1), depth);
  } else if (isa<arith::SubIOp>(op)) {
    expr = get(op->getOperand(0), depth) - get(op->getOperand(1), depth);
  } else if (isa<arith::MulIOp>(op)) {
    std::optional<int64_t> factor = getSmallConstant(op->getOperand(1));
    unsigned other = 0;
    if (!factor) {
      factor = getSmallConstant(op->getOperand(0));
      other = 1;
    }
    if (!factor || std::abs(*factor) >= (1 << 20))
      return atom;
    expr = get(op->getOperand(other), depth);
    if (!isSmall(expr))
      return atom;
    expr = expr * *factor;
  } else if (isa<arith::IndexCastOp, arith::ExtSIOp>(op)) {
    expr = get(op->getOperand(0), depth);
  } else if (auto start = dyn_cast<StartOp>(op)) {
    expr = getStart(start.getRange(), depth);
  } else {
    return atom;
  }
  return isSmall(expr) ? expr : atom;
}

/// Converts an index or an integer to `type`, with its sign.
static Value convert(OpBuilder &builder, Location loc, Value value, Type type) {
  Type given = value.getType();
  if (given == type)
    return value;
  if (given.isIndex() || type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Value LinearExpr::materialize(OpBuilder &builder, Location loc,
                              Type type) const {
  if (!type)
    type = builder.getIndexType();
  Value sum;
  auto makeConstant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, number));
  };
  for (auto [atom, coefficient] : terms) {
    Value value = atom;
    if (isa<RangeType>(value.getType()))
      value = StartOp::create(builder, loc, builder.getIndexType(), value);
    value = convert(builder, loc, value, type);
    if (sum && coefficient == -1) {
      sum = arith::SubIOp::create(builder, loc, sum, value);
      continue;
    }
    if (coefficient != 1)
      value =
          arith::MulIOp::create(builder, loc, value, makeConstant(coefficient));
    sum = sum ? arith::AddIOp::create(builder, loc, sum, value).getResult()
              : value;
  }
  if (!sum)
    return makeConstant(constant);
  if (constant != 0)
    sum = arith::AddIOp::create(builder, loc, sum, makeConstant(constant));
  return sum;
}

Value tile::makeIterationStart(OpBuilder &builder, Location loc, Value first,
                               Value distance, Value step) {
  Value count = arith::CeilDivSIOp::create(builder, loc, distance, step);
  Value rounded = arith::MulIOp::create(builder, loc, count, step);
  return arith::AddIOp::create(builder, loc, first, rounded);
}

void LinearExpr::print(llvm::raw_ostream &os) const {
  OpPrintingFlags flags;
  flags.useLocalScope();
  for (auto [atom, coefficient] : terms) {
    os << coefficient << " * ";
    atom.printAsOperand(os, flags);
    os << " + ";
  }
  os << constant;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

std::optional<ElementBounds> tile::getElementBounds(Value tile,
                                                    unsigned depth) {
  if (DenseIntElementsAttr constant;
      matchPattern(tile, m_Constant(&constant))) {
    if (!constant.getElementType().isInteger(32) || constant.empty())
      return std::nullopt;
    int64_t low = std::numeric_limits<int32_t>::max(), high = -low - 1;
    for (const APInt &element : constant.getValues<APInt>()) {
      low = std::min(low, element.getSExtValue());
      high = std::max(high, element.getSExtValue());
    }
    return ElementBounds{low, high};
  }
  Operation *op = tile.getDefiningOp();
  if (!op || depth-- == 0 ||
      !getElementTypeOrSelf(tile.getType()).isInteger(32))
    return std::nullopt;
  if (auto indices = dyn_cast<IndicesOp>(op)) {
    LinearExpr start = LinearExpr::getStart(indices.getRange());
    int64_t extent = cast<RangeType>(indices.getRange().getType()).getExtent();
    return ElementBounds{start, start + (extent - 1)};
  }
  if (auto iota = dyn_cast<IotaOp>(op))
    return ElementBounds{0,
                         cast<ShapedType>(iota.getType()).getNumElements() - 1};
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    // Assumes that the position has 32 bits.
    Operation *narrow = splat.getInput().getDefiningOp();
    LinearExpr scalar = LinearExpr::get(
        isa_and_present<arith::TruncIOp, arith::IndexCastOp>(narrow)
            ? narrow->getOperand(0)
            : splat.getInput());
    return ElementBounds{scalar, scalar};
  }
  if (isa<ExpandDimsOp, BroadcastOp, TransposeOp>(op))
    return getElementBounds(op->getOperand(0), depth);
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  auto lhs = getElementBounds(op->getOperand(0), depth);
  auto rhs = getElementBounds(op->getOperand(1), depth);
  if (!lhs || !rhs)
    return std::nullopt;
  ElementBounds bounds;
  if (isa<arith::AddIOp>(op)) {
    bounds = {lhs->low + rhs->low, lhs->high + rhs->high};
  } else if (isa<arith::SubIOp>(op)) {
    bounds = {lhs->low - rhs->high, lhs->high - rhs->low};
  } else {
    if (!rhs->low.isConstant())
      std::swap(lhs, rhs);
    if (!rhs->low.isConstant() || !rhs->high.isConstant() ||
        rhs->low.getConstant() != rhs->high.getConstant() ||
        std::abs(rhs->low.getConstant()) >= (1 << 20))
      return std::nullopt;
    int64_t factor = rhs->low.getConstant();
    bounds = {lhs->low * factor, lhs->high * factor};
    if (factor < 0)
      std::swap(bounds.low, bounds.high);
  }
  if (!isSmall(bounds.low) || !isSmall(bounds.high))
    return std::nullopt;
  return bounds;
}

void tile::collectSums(Value tile, SmallVectorImpl<ElementBounds> &sums,
                       unsigned depth) {
  Operation *op = tile.getDefiningOp();
  if (!op || depth-- == 0)
    return;
  if (std::optional<ElementBounds> bounds = getElementBounds(tile))
    sums.push_back(*bounds);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, ExpandDimsOp,
          BroadcastOp, TransposeOp>(op))
    for (Value operand : op->getOperands())
      collectSums(operand, sums, depth);
}
