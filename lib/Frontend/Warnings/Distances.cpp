//===- Distances.cpp - Distances of two accesses ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions are linear expressions. The distance of two of them is an interval:
// the induction variable of a loop in the region has its range on either side,
// and all else must cancel. From an iteration of a surrounding loop to the next
// the distance grows by a constant.
//
// Two accesses have an element in common only if all linear combinations of
// their positions agree. A combination of two dimensions removes a quotient:
// with `q = i / 4`, the positions `[q, i - 4 * q]` combine to `i`.
//
// A GCD test covers remainders: with `q = 3 * i / 4`, the position
// `3 * i - 4 * q`, which is `3 * i % 4`, is `3 * i` modulo 4. From an iteration
// to one of the three next, it changes by 3, 2 or 1 modulo 4, and never by 0.
//
//===----------------------------------------------------------------------===//

#include "Distances.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tessera;
using namespace tessera::frontend;
using tile::LinearExpr;

//===----------------------------------------------------------------------===//
// Growth in a loop
//===----------------------------------------------------------------------===//

/// Checks whether a value is the same in all iterations of a loop.
static bool isInvariant(Value value, scf::ForOp loop) {
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 8> visited;
  while (!open.empty()) {
    Value current = open.pop_back_val();
    if (!loop.getRegion().isAncestor(current.getParentRegion()))
      continue;
    Operation *op = current.getDefiningOp();
    auto load = dyn_cast_if_present<tile::LoadOp>(op);
    bool isFixed =
        op && op->getNumRegions() == 0 &&
        (load ? !load.getGlobalType().isWritable() : isMemoryEffectFree(op));
    if (!isFixed)
      return false;
    if (visited.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
  return true;
}

static std::optional<int64_t> getGrowth(arith::FloorDivSIOp quotient,
                                        scf::ForOp loop, unsigned depth);

/// Returns the change of an expression from an iteration of `loop` to the next,
/// if it is the same constant for all iterations.
static std::optional<int64_t> getGrowth(const tile::LinearExpr &expr,
                                        scf::ForOp loop,
                                        unsigned depth = tile::kMaxDepth) {
  int64_t growth = 0;
  for (auto [atom, coefficient] : expr.getTerms()) {
    std::optional<int64_t> ofAtom;
    if (atom == loop.getInductionVar())
      ofAtom = getConstantIntValue(loop.getStep());
    else if (isInvariant(atom, loop))
      continue;
    else if (auto quotient = atom.getDefiningOp<arith::FloorDivSIOp>())
      ofAtom = getGrowth(quotient, loop, depth);
    int64_t product;
    if (!ofAtom || llvm::MulOverflow(coefficient, *ofAtom, product) ||
        llvm::AddOverflow(growth, product, growth))
      return std::nullopt;
  }
  return growth;
}

/// Returns the growth of a quotient whose dividend grows by a multiple of a
/// constant divisor.
static std::optional<int64_t> getGrowth(arith::FloorDivSIOp quotient,
                                        scf::ForOp loop, unsigned depth) {
  std::optional<int64_t> divisor = getConstantIntValue(quotient.getRhs());
  if (depth == 0 || !divisor || *divisor <= 0)
    return std::nullopt;
  std::optional<int64_t> growth =
      getGrowth(tile::LinearExpr::get(quotient.getLhs()), loop, depth - 1);
  if (!growth || *growth % *divisor != 0)
    return std::nullopt;
  return *growth / *divisor;
}

//===----------------------------------------------------------------------===//
// Equal values
//===----------------------------------------------------------------------===//

/// Checks whether `a` and `b` are the same computation of the same values.
static bool isSame(Value a, Value b, unsigned depth = tile::kMaxDepth) {
  if (a == b)
    return true;
  auto x = dyn_cast<OpResult>(a), y = dyn_cast<OpResult>(b);
  return x && y && depth > 0 && x.getResultNumber() == y.getResultNumber() &&
         isMemoryEffectFree(x.getOwner()) &&
         x.getOwner()->getNumRegions() == 0 &&
         OperationEquivalence::isEquivalentTo(
             x.getOwner(), y.getOwner(),
             [&](Value lhs, Value rhs) {
               return success(isSame(lhs, rhs, depth - 1));
             },
             /*markEquivalent=*/nullptr,
             OperationEquivalence::Flags::IgnoreLocations);
}

namespace {
/// The positions of an access along one dimension.
struct Positions {
  LinearExpr start;
  int64_t extent;
};

/// Reads positions, where equal computations are one value.
class PositionReader {
public:
  /// Returns the positions of an index; nothing for a gather.
  std::optional<Positions> get(Value index) {
    if (auto range = dyn_cast<tile::RangeType>(index.getType()))
      return Positions{unite(LinearExpr::getStart(index)), range.getExtent()};
    if (index.getType().isIndex())
      return Positions{unite(LinearExpr::get(index)), 1};
    return std::nullopt;
  }

private:
  LinearExpr unite(const LinearExpr &expr) {
    LinearExpr united = expr.getConstant();
    for (auto [atom, coefficient] : expr.getTerms()) {
      auto *known = llvm::find_if(
          atoms, [atom = atom](Value other) { return isSame(other, atom); });
      if (known == atoms.end())
        known = atoms.insert(atoms.end(), atom);
      united = united + LinearExpr::get(*known, /*depth=*/0) * coefficient;
    }
    return united;
  }

  SmallVector<Value> atoms;
};

/// The numbers from `low` to `high`; without a limit if one is missing.
struct Interval {
  std::optional<int64_t> low = 0, high = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

/// Bounds of loops are used up to this one.
static constexpr int64_t kMostBound = int64_t(1) << 31;

/// Returns the values of the induction variable of a loop that runs.
static Interval getValues(scf::ForOp loop) {
  auto get = [](Value value) {
    std::optional<int64_t> constant = getConstantIntValue(value);
    bool isSmall = constant && std::abs(*constant) <= kMostBound;
    return isSmall ? constant : std::nullopt;
  };
  Interval values = {get(loop.getLowerBound()), std::nullopt};
  std::optional<int64_t> end = get(loop.getUpperBound()),
                         step = get(loop.getStep());
  if (values.low && end && step && *step > 0 && *end > *values.low)
    values.high = *values.low + (*end - 1 - *values.low) / *step * *step;
  return values;
}

/// Returns `sum + value * factor`; nothing if it does not fit.
static std::optional<int64_t> addScaled(std::optional<int64_t> sum,
                                        std::optional<int64_t> value,
                                        int64_t factor) {
  int64_t result;
  if (!sum || !value || llvm::MulOverflow(*value, factor, result) ||
      llvm::AddOverflow(*sum, result, result))
    return std::nullopt;
  return result;
}

/// Removes the induction variables of loops in `region` from `expr`, and adds
/// their values times `sign` to `sum`.
static LinearExpr takeLoops(const LinearExpr &expr, Region &region,
                            int64_t sign, Interval &sum) {
  LinearExpr rest = expr;
  for (auto [atom, coefficient] : expr.getTerms()) {
    scf::ForOp loop = scf::getForInductionVarOwner(atom);
    if (!loop || !region.isAncestor(loop->getParentRegion()))
      continue;
    rest = rest.without(atom);
    Interval values = getValues(loop);
    int64_t factor = sign * coefficient;
    if (factor < 0)
      std::swap(values.low, values.high);
    sum.low = addScaled(sum.low, values.low, factor);
    sum.high = addScaled(sum.high, values.high, factor);
  }
  return rest;
}

/// Checks whether the positions along one dimension, or a linear combination of
/// positions, have none in common.
static bool areDisjoint(const Positions &write, const Positions &read,
                        Region &region, scf::ForOp loop) {
  Interval distance;
  LinearExpr from = takeLoops(write.start, region, -1, distance);
  LinearExpr to = takeLoops(read.start, region, 1, distance);
  LinearExpr fixed = to - from;
  if (!fixed.isConstant())
    return false;
  int64_t nearest = fixed.getConstant(), growth = 0;
  if (loop) {
    std::optional<int64_t> ofWrite = getGrowth(from, loop);
    if (!ofWrite || llvm::AddOverflow(nearest, *ofWrite, nearest))
      return false;
    growth = *ofWrite;
  }
  distance.low = addScaled(distance.low, nearest, 1);
  distance.high = addScaled(distance.high, nearest, 1);
  return (distance.low && *distance.low >= write.extent && growth >= 0) ||
         (distance.high && *distance.high <= -read.extent && growth <= 0);
}

//===----------------------------------------------------------------------===//
// Residues
//===----------------------------------------------------------------------===//

/// The largest modulus for which the distances of iterations are enumerated.
static constexpr int64_t kMostModulus = 4096;

/// Checks whether a distance that is `residue` modulo `modulus` is never one of
/// positions that overlap.
static bool isApart(int64_t residue, int64_t modulus, const Positions &write,
                    const Positions &read) {
  residue = llvm::mod(residue, modulus);
  return residue >= write.extent && residue <= modulus - read.extent;
}

/// Returns the greatest common divisor of the coefficients; 0 without terms.
static int64_t getDivisor(const LinearExpr &expr) {
  int64_t divisor = 0;
  for (auto [atom, coefficient] : expr.getTerms())
    divisor = std::gcd(divisor, coefficient);
  return divisor;
}

/// Checks whether the positions of `read` in a later iteration of `loop` differ
/// from those of `write` modulo `modulus`.
static bool areApartLater(const Positions &write, const Positions &read,
                          scf::ForOp loop, int64_t modulus) {
  LinearExpr distance = read.start - write.start;
  if (getDivisor(distance) % modulus != 0)
    return false;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  int64_t growth = 0;
  for (auto [atom, coefficient] : write.start.getTerms()) {
    if (coefficient % modulus == 0)
      continue;
    if (atom == loop.getInductionVar() && step)
      growth = llvm::mod(coefficient % modulus * (*step % modulus), modulus);
    else if (!isInvariant(atom, loop))
      return false;
  }
  // Residues repeat after this number of iterations.
  int64_t last = modulus / std::gcd(growth, modulus);
  Interval values = getValues(loop);
  if (values.low && values.high)
    last = std::min(last, (*values.high - *values.low) / *step);
  int64_t residue = llvm::mod(distance.getConstant(), modulus);
  for (int64_t later = 1; later <= last; ++later)
    if (!isApart(residue + growth * later, modulus, write, read))
      return false;
  return true;
}

/// Checks whether positions have no residue in common, modulo the divisor of a
/// quotient.
static bool areApart(const Positions &write, const Positions &read,
                     scf::ForOp loop) {
  if (!loop) {
    LinearExpr distance = read.start - write.start;
    int64_t divisor = getDivisor(distance);
    return divisor > 1 && isApart(distance.getConstant(), divisor, write, read);
  }
  return llvm::any_of(write.start.getTerms(), [&](auto term) {
    int64_t modulus = std::abs(term.second);
    return modulus > 1 && modulus <= kMostModulus &&
           term.first.template getDefiningOp<arith::FloorDivSIOp>() &&
           areApartLater(write, read, loop, modulus);
  });
}

/// Follows 32-bit arithmetic, also of tiles. The result is right modulo 2^32.
/// Three steps with factors of at most 2^10 keep the coefficients below 2^63.
static LinearExpr getWrapping(Value value, unsigned depth = 3) {
  Operation *op = value.getDefiningOp();
  unsigned ofAtom = isa<RankedTensorType>(value.getType()) ? 0 : depth;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue();
  if (!op || depth-- == 0)
    return LinearExpr::get(value, ofAtom);
  if (isa<arith::AddIOp>(op))
    return getWrapping(op->getOperand(0), depth) +
           getWrapping(op->getOperand(1), depth);
  if (isa<arith::SubIOp>(op))
    return getWrapping(op->getOperand(0), depth) -
           getWrapping(op->getOperand(1), depth);
  APInt factor;
  for (unsigned number : {0, 1})
    if (isa<arith::MulIOp>(op) &&
        matchPattern(op->getOperand(number), m_ConstantInt(&factor)) &&
        factor.abs().ule(1 << 10))
      return getWrapping(op->getOperand(1 - number), depth) *
             factor.getSExtValue();
  return LinearExpr::get(value);
}

/// Returns the numbers of 32 bits that become positions; null if they have
/// another type.
static Value getNumbers(Value index) {
  if (auto type = dyn_cast<RankedTensorType>(index.getType())) {
    // An element with the position -1 is not accessed.
    auto select = index.getDefiningOp<arith::SelectOp>();
    APInt skipped;
    bool isMasked =
        select &&
        matchPattern(select.getFalseValue(), m_ConstantInt(&skipped)) &&
        skipped.isAllOnes();
    return type.getElementType().isInteger(32)
               ? (isMasked ? select.getTrueValue() : index)
               : Value();
  }
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  bool isNarrow = cast && cast.getIn().getType().isInteger(32);
  return isNarrow ? cast.getIn() : Value();
}

/// Checks whether numbers of 32 bits that become positions always differ, such
/// as `2 * i` and `2 * j + 1`.
static bool areDifferentNumbers(Value write, Value read) {
  Value a = getNumbers(write), b = getNumbers(read);
  if (!a || !b)
    return false;
  LinearExpr from = getWrapping(a), to = getWrapping(b), distance = to - from;
  // Wrapping keeps the residues modulo powers of two up to 2^32.
  int64_t divisor = std::gcd(getDivisor(distance), int64_t(1) << 32);
  // Two elements of tiles have different values of an atom.
  if (!a.getType().isInteger() || !b.getType().isInteger())
    divisor = std::gcd(divisor, std::gcd(getDivisor(from), getDivisor(to)));
  return distance.getConstant() % divisor != 0;
}

bool tessera::frontend::areDisjoint(ValueRange write, ValueRange access,
                                    Region &region, scf::ForOp loop) {
  PositionReader reader;
  SmallVector<std::pair<Positions, Positions>> scalars;
  for (auto [written, read] : llvm::zip_equal(write, access)) {
    if (!loop && areDifferentNumbers(written, read))
      return true;
    std::optional<Positions> a = reader.get(written), b = reader.get(read);
    if (!a || !b)
      continue;
    if (::areDisjoint(*a, *b, region, loop) || areApart(*a, *b, loop))
      return true;
    if (a->extent == 1 && b->extent == 1)
      scalars.push_back({*a, *b});
  }
  for (auto [number, first] : llvm::enumerate(scalars))
    for (auto &second : ArrayRef(scalars).drop_front(number + 1))
      for (auto [atom, coefficient] : first.first.start.getTerms()) {
        int64_t other = second.first.start.getCoefficient(atom);
        if (other == 0)
          continue;
        auto combine = [&, factor = coefficient](const Positions &x,
                                                 const Positions &y) {
          return Positions{x.start * other - y.start * factor, 1};
        };
        if (::areDisjoint(combine(first.first, second.first),
                          combine(first.second, second.second), region, loop))
          return true;
      }
  return false;
}
