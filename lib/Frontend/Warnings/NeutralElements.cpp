//===- NeutralElements.cpp - Elements that change no result -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element p is neutral for a combiner f if f(x, p) = x for all x. This file
// tests the equation for a few values of x by constant folding. Unknown
// elements also take several values. A fn of the program is arithmetic on
// scalars, so an equation that holds for these values rarely fails for others.
// In a reversed scan the elements past the end are the left part: f(p, x) = x.
//
//===----------------------------------------------------------------------===//

#include "NeutralElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace tessera;
using namespace tessera::frontend;

/// Values that all element types represent. The integers differ from each
/// other.
static constexpr double kFloats[] = {-2, 0.5, 3, -0.75, 1.5, -3, 0.25, 2};
static constexpr int64_t kIntegers[] = {-8, 2, 12, -3, 6, 13, -1, 9};
static constexpr unsigned kNumProbes = 8;
/// Rounding of a combiner, such as that of log(exp(x) + exp(p)).
static constexpr double kTolerance = 0.01;

/// Returns the probe `number` for values of `type`.
static Attribute getProbe(Type type, unsigned number) {
  number %= kNumProbes;
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(floatType, kFloats[number]);
  unsigned width = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, APInt(width, kIntegers[number], false, true));
}

/// Returns `value` plus a number that is not negative; null if not finite.
static Attribute getGreater(Attribute value, unsigned number) {
  if (auto base = dyn_cast<FloatAttr>(value)) {
    double sum =
        base.getValueAsDouble() + std::abs(kFloats[number % kNumProbes]);
    return std::isfinite(sum) ? FloatAttr::get(base.getType(), sum)
                              : Attribute();
  }
  auto base = cast<IntegerAttr>(value);
  APInt offset(base.getValue().getBitWidth(),
               std::abs(kIntegers[number % kNumProbes]), false, true);
  return IntegerAttr::get(base.getType(), base.getValue() + offset);
}

static bool areClose(Attribute one, Attribute other) {
  auto left = dyn_cast<FloatAttr>(one), right = dyn_cast<FloatAttr>(other);
  if (!left || !right)
    return one == other;
  double a = left.getValueAsDouble(), b = right.getValueAsDouble();
  return a == b || std::abs(a - b) <= kTolerance * std::abs(b);
}

/// Returns the results of a combiner for scalars; nothing if they do not fold.
static std::optional<SmallVector<Attribute>>
evaluate(Block &combiner, ArrayRef<Attribute> arguments) {
  llvm::DenseMap<Value, Attribute> values;
  for (auto [argument, value] :
       llvm::zip_equal(combiner.getArguments(), arguments))
    values[argument] = value;
  for (Operation &op : combiner.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      values[constant] = constant.getValue();
      continue;
    }
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    // Folding may change an operation, so it works on a copy.
    Operation *copy = op.clone();
    SmallVector<OpFoldResult> folded;
    Attribute result;
    if (succeeded(copy->fold(operands, folded)) && folded.size() == 1) {
      if (auto value = dyn_cast<Value>(folded[0]))
        result = values.lookup(value);
      else
        result = cast<Attribute>(folded[0]);
    }
    copy->destroy();
    if (!result || op.getNumResults() != 1)
      return std::nullopt;
    values[op.getResult(0)] = result;
  }
  SmallVector<Attribute> results;
  for (Value value : combiner.getTerminator()->getOperands())
    results.push_back(values.lookup(value));
  return results;
}

/// Checks one set of values. Elements past the end may be several.
static std::optional<bool> isUnchanged(Operation *op, bool isBefore,
                                       ArrayRef<Attribute> elements,
                                       ArrayRef<Attribute> trailing) {
  Block &combiner = op->getRegion(0).front();
  auto combine = [&](ArrayRef<Attribute> left, ArrayRef<Attribute> right) {
    SmallVector<Attribute> both(left);
    llvm::append_range(both, right);
    return evaluate(combiner, both);
  };
  SmallVector<Attribute> past(trailing);
  for (unsigned count = 0; count < 2; ++count) {
    std::optional<SmallVector<Attribute>> results =
        isBefore ? combine(past, elements) : combine(elements, past);
    if (!results)
      return std::nullopt;
    for (auto [number, result] : llvm::enumerate(*results))
      if (!op->getResult(number).use_empty() &&
          !areClose(result, elements[number]))
        return false;
    std::optional<SmallVector<Attribute>> twice = combine(past, past);
    if (!twice)
      return std::nullopt;
    past = *twice;
  }
  return true;
}

bool tessera::frontend::mayChange(Operation *op,
                                  ArrayRef<TrailingElement> trailing) {
  auto scan = dyn_cast<tile::ScanWithOp>(op);
  // Elements past the end come last, and change their own results only.
  if (scan && !scan.getReverse())
    return false;
  unsigned count = trailing.size();
  for (unsigned probe = 0; probe < kNumProbes; ++probe) {
    SmallVector<Attribute> elements, past;
    for (auto [number, element] : llvm::enumerate(trailing)) {
      Type type =
          op->getRegion(0).front().getArgument(number % count).getType();
      past.push_back(element.value ? element.value
                                   : getProbe(type, probe + 3 * number + 5));
      Attribute greater = element.isLeast
                              ? getGreater(past.back(), probe + number)
                              : Attribute();
      elements.push_back(greater ? greater : getProbe(type, probe + number));
    }
    std::optional<bool> unchanged =
        isUnchanged(op, static_cast<bool>(scan), elements, past);
    if (!unchanged || !*unchanged)
      return unchanged.has_value();
  }
  return false;
}

Attribute tessera::frontend::findNeutralValue(Operation *op,
                                              ArrayRef<bool> isPadded) {
  auto types = op->getRegion(0).front().getArgumentTypes();
  SmallVector<Type> padded;
  for (auto [number, isOne] : llvm::enumerate(isPadded))
    if (isOne)
      padded.push_back(types[number]);
  if (padded.empty() || !llvm::all_equal(padded))
    return {};
  SmallVector<Attribute> candidates;
  if (auto type = dyn_cast<FloatType>(padded[0])) {
    for (double value : {0.0, 1.0, -HUGE_VAL, HUGE_VAL})
      if (std::isfinite(value) ||
          APFloat::semanticsHasInf(type.getFloatSemantics()))
        candidates.push_back(FloatAttr::get(type, value));
  } else {
    unsigned width = padded[0].getIntOrFloatBitWidth();
    for (const APInt &value :
         {APInt(width, 0), APInt(width, 1), APInt::getSignedMinValue(width),
          APInt::getSignedMaxValue(width)})
      candidates.push_back(IntegerAttr::get(padded[0], value));
  }
  for (Attribute candidate : candidates) {
    SmallVector<TrailingElement> trailing;
    for (bool isOne : isPadded)
      trailing.push_back({isOne ? candidate : Attribute()});
    if (!mayChange(op, trailing))
      return candidate;
  }
  return {};
}
