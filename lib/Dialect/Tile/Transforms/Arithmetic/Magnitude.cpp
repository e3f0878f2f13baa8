//===- Magnitude.cpp - Magnitudes of float values ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dataflow analysis of Magnitude.h, as a backward depth-first search from a
// value to its sources. `way` records the operations between a source and the
// value. Each source adds its class to the result, a join in a lattice of sets.
//
// Invariant: results are the same for any order of the search. Each pair of a
// value and a way is visited once, so the search ends at cycles through loops.
//
//===----------------------------------------------------------------------===//

#include "Magnitude.h"

#include "ScaleRules.h"
#include "UniformScalars.h"

#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tile;

/// Largest constant that counts as moderate. Half a unit in the last place of
/// its product with log2(e) is 2^-12. That does not change a weight of 1 in
/// f16.
constexpr double kModerate = 4096;

/// Largest number whose product with log2(e) is finite: FLT_MAX * ln(2).
constexpr double kScalable = 2.3586e38;

/// Checks whether all numbers of a float type are moderate.
static bool isNarrow(Type element) {
  return element.isF16() || isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

/// Checks whether the results of `op` are moderate whatever its operands are.
static bool isBoundedFunction(Operation *op) {
  return isa<math::LogOp, math::Log2Op, math::SqrtOp, math::RsqrtOp,
             math::TanhOp, math::ErfOp>(op);
}

static bool isPowerOfTwo(double number) {
  int exponent;
  return std::abs(std::frexp(number, &exponent)) == 0.5;
}

/// Checks whether an integer depends on a parameter or on memory. Otherwise it
/// is a position or a size.
static bool dependsOnData(Value integer) {
  llvm::SmallSetVector<Value, 8> reached;
  reached.insert(integer);
  for (size_t next = 0; next < reached.size(); ++next) {
    Value value = reached[next];
    Type element = getElementType(value);
    if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op) {
      if (element.isInteger() &&
          isa<KernelOp>(value.getParentBlock()->getParentOp()))
        return true;
      continue;
    }
    if (isa<FloatType>(element) || isa<LoadOp>(op))
      return true;
    if (!isa<arith::ConstantOp>(op))
      reached.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

namespace {
/// Operations between a source and the examined value.
enum Way : unsigned {
  Direct = 0,
  Factor = 1, // the source multiplies a number
  Scaled = 2, // a product
  Summed = 4, // a sum
  Chosen = 8  // a selection, with no other operation before it
};

class MagnitudeAnalysis {
public:
  Magnitude run(Value value) {
    sources.insert({value, Direct});
    for (size_t next = 0; next < sources.size(); ++next) {
      auto [source, way] = sources[next];
      visit(source, way);
    }
    return result;
  }

private:
  void visit(Value value, unsigned way);
  void visitConstant(arith::ConstantOp constant, unsigned way);
  void visitProduct(Operation *op, unsigned way);
  bool isScore(Value value);
  void add(Value value, unsigned way) { sources.insert({value, way}); }
  void addRounded(unsigned way) { result.isRounded |= !(way & Factor); }
  /// Adds any f32 number, from memory or an unknown function. If selected, it
  /// is a mask.
  void addHuge(unsigned way) {
    result.isHuge = true;
    result.isFixed |= (way & (Factor | Chosen)) == Chosen;
    result.isHugeProduct |= (way & (Factor | Scaled)) == Scaled;
  }
  /// Adds any f32 number, from a parameter.
  void addParameter(unsigned way) { result.isFixed |= !(way & Factor); }

  Magnitude result;
  SetVector<std::pair<Value, unsigned>> sources;
  /// Values that are known not to be scores.
  DenseSet<Value> others;
};
} // namespace

void MagnitudeAnalysis::visitConstant(arith::ConstantOp constant,
                                      unsigned way) {
  double largest = 0;
  auto count = [&](APFloat number) {
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    if (number.isFinite())
      largest = std::max(largest, std::abs(number.convertToDouble()));
  };
  if (auto elements = dyn_cast<DenseFPElementsAttr>(constant.getValue())) {
    if (elements.isSplat())
      count(elements.getSplatValue<APFloat>());
    else
      llvm::for_each(elements.getValues<APFloat>(), count);
  } else if (auto number = dyn_cast<FloatAttr>(constant.getValue())) {
    count(number.getValue());
  }
  if (largest <= kModerate)
    return;
  bool isDirect = !(way & ~Chosen);
  result.hasMask |= isDirect;
  result.isFixed |= !isDirect || largest > kScalable;
}

/// Checks whether a matrix product is among the sources of `value`.
bool MagnitudeAnalysis::isScore(Value value) {
  SetVector<Value> reached;
  auto reach = [&](Value source) {
    if (!others.contains(source))
      reached.insert(source);
  };
  reach(value);
  for (size_t next = 0; next < reached.size(); ++next) {
    if (auto [loop, index] = getCarried(reached[next]); loop) {
      reach(loop.getYieldedValues()[index]);
      continue;
    }
    Operation *op = reached[next].getDefiningOp();
    if (op && isa<GemmOp>(op))
      return true;
    if (op && getScaleRule(op) != ScaleRule::None)
      llvm::for_each(op->getOperands(), reach);
  }
  others.insert(reached.begin(), reached.end());
  return false;
}

/// Visits a product or a quotient. A uniform operand is a factor of the other
/// operand. So is any operand that multiplies a rounded number.
void MagnitudeAnalysis::visitProduct(Operation *op, unsigned way) {
  Value a = op->getOperand(0), b = op->getOperand(1);
  std::optional<Uniform> uniformA = getUniform(a), uniformB = getUniform(b);
  auto isExact = [](const std::optional<Uniform> &uniform) {
    return uniform && uniform->isConstant() && isPowerOfTwo(uniform->constant);
  };
  if (!isExact(uniformA) && !isExact(uniformB))
    addRounded(way);
  unsigned scaled = (way | Scaled) & ~Chosen;
  if (isa<arith::DivFOp>(op)) {
    add(a, scaled);
    if (!uniformB || !uniformB->isConstant())
      add(b, scaled | Factor);
    else if (std::abs(1 / uniformB->constant) > kModerate)
      result.isFixed = true;
    return;
  }
  bool isFactorA = false, isFactorB = false;
  if (uniformA || uniformB) {
    isFactorB = uniformB.has_value();
    isFactorA = !isFactorB;
  } else {
    isFactorB = isScore(a);
    isFactorA = !isFactorB && isScore(b);
  }
  add(a, isFactorA ? scaled | Factor : scaled);
  add(b, isFactorB ? scaled | Factor : scaled);
}

void MagnitudeAnalysis::visit(Value value, unsigned way) {
  Type element = getElementType(value);
  if (!isa<FloatType>(element) || isNarrow(element))
    return;
  if (auto [loop, index] = getCarried(value); loop) {
    add(loop.getInitArgs()[index], way);
    add(loop.getYieldedValues()[index], way);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<FloatType>(value.getType()) ? addParameter(way) : addHuge(way);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return visitConstant(constant, way);
  if (isBoundedFunction(op))
    return addRounded(way);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    if (dependsOnData(op->getOperand(0)))
      addParameter(way);
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    add(branch.thenYield().getOperand(index), way);
    add(branch.elseYield().getOperand(index), way);
    return;
  }
  if (auto product = dyn_cast<GemmOp>(op)) {
    addRounded(way);
    return add(product.getAccumulator(), (way | Summed) & ~Chosen);
  }
  if (isa<arith::MulFOp, arith::DivFOp>(op))
    return visitProduct(op, way);
  if (isa<math::FmaOp>(op)) {
    visitProduct(op, way);
    return add(op->getOperand(2), (way | Summed) & ~Chosen);
  }
  if (getScaleRule(op) == ScaleRule::None &&
      !isa<arith::ExtFOp, arith::TruncFOp>(op))
    return addHuge(way);
  if (isSum(op))
    way = (way | Summed) & ~Chosen;
  else if (isa<arith::SelectOp>(op))
    way |= Chosen;
  for (Value operand : op->getOperands())
    add(operand, way);
}

Magnitude tile::getMagnitude(Value value) {
  return MagnitudeAnalysis().run(value);
}

Magnitude MagnitudeCache::get(Value value) {
  auto [entry, isNew] = known.try_emplace(value);
  if (isNew)
    entry->second = getMagnitude(value);
  return entry->second;
}

bool MagnitudeCache::mayScaleOperands(Operation *sum) {
  bool isRounded = false, isHugeProduct = false, isMask = false, isHuge = false;
  unsigned numLarge = 0;
  for (Value operand : sum->getOperands()) {
    bool isFactor = isa<math::FmaOp>(sum) && getUniform(operand);
    if (!isScalable(operand) || isFactor)
      continue;
    Magnitude magnitude = get(operand);
    if (magnitude.isFixed)
      return false;
    isRounded |= magnitude.isRounded;
    isHugeProduct |= magnitude.isHugeProduct;
    isMask |= magnitude.hasMask && !magnitude.isHuge;
    isHuge |= magnitude.isHuge && !magnitude.hasMask;
    numLarge += magnitude.isLarge();
  }
  // A log-sum-exp from memory may be near a mask and was rounded as a sum.
  if (isMask && isHuge)
    return false;
  // Numbers that overflow cancel only against one another.
  bool mayCancel = numLarge > 1 || isa<ReduceOp, ScanOp>(sum);
  return isRounded && !(isHugeProduct && mayCancel);
}

bool tile::isSum(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Sum;
  if (auto scan = dyn_cast<ScanOp>(op))
    return scan.getKind() == ReduceKind::Sum;
  return isa<arith::AddFOp, arith::SubFOp, math::FmaOp>(op);
}
