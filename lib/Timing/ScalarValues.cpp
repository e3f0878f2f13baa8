//===- ScalarValues.cpp - Scalars of a kernel without tiles ---------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarValues.h"

#include "tessera/Timing/KernelClock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

ScalarValues::ScalarValues(KernelOp kernel,
                           const llvm::StringMap<int64_t> &sizes)
    : sizes(sizes) {
  for (auto [index, param] : llvm::enumerate(kernel.getParams()))
    set(param, lookupSize(sizes, kernel.getParamName(index)));
}

std::optional<int64_t> ScalarValues::get(Value value) const {
  auto found = numbers.find(value);
  if (found != numbers.end())
    return found->second;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                            : integer.getInt();
  return std::nullopt;
}

void ScalarValues::set(Value value, std::optional<int64_t> number) {
  if (number)
    numbers[value] = *number;
  else
    numbers.erase(value);
}

void ScalarValues::assign(ValueRange to, ValueRange from) {
  SmallVector<std::optional<int64_t>> read =
      llvm::map_to_vector(from, [&](Value value) { return get(value); });
  for (auto [target, number] : llvm::zip(to, read))
    set(target, number);
}

LogicalResult ScalarValues::evaluate(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
    return success();
  Value result = op->getResult(0);
  if (auto size = dyn_cast<tile::SizeOp>(op)) {
    set(result, size.getSize().evaluate(
                    [&](StringRef name) { return lookupSize(sizes, name); }));
    return success(get(result).has_value());
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<int64_t> condition = get(select.getCondition());
    set(result, condition ? get(*condition ? select.getTrueValue()
                                           : select.getFalseValue())
                          : std::nullopt);
    return success();
  }
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = get(operand);
    operands.push_back(number && operand.getType().isIntOrIndex()
                           ? IntegerAttr::get(operand.getType(), *number)
                           : Attribute());
  }
  SmallVector<OpFoldResult> results;
  std::optional<int64_t> number;
  if (succeeded(op->fold(operands, results)) && results.size() == 1) {
    if (auto value = dyn_cast<Value>(results.front()))
      number = get(value);
    else if (auto integer = dyn_cast_or_null<IntegerAttr>(
                 cast<Attribute>(results.front())))
      number = integer.getType().isInteger(1)
                   ? integer.getValue().getZExtValue()
                   : integer.getValue().getSExtValue();
  }
  set(result, number);
  return success();
}
