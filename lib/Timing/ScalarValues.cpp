//===- ScalarValues.cpp - Scalars of a kernel without tiles ---------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarValues.h"

#include "tessera/Timing/KernelClock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

ScalarValues::ScalarValues(KernelOp kernel,
                           const llvm::StringMap<int64_t> &sizes, int64_t ctas)
    : sizes(sizes), ctas(ctas) {
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

std::optional<int64_t> ScalarValues::compute(Operation *op) const {
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([&](tile::SizeOp size) {
        return size.getSize().evaluate(
            [&](StringRef name) { return lookupSize(sizes, name); });
      })
      .Case([&](ProgramIdOp) { return program; })
      .Case([&](CtaCountOp) { return ctas; })
      .Case([&](CtaRankOp) { return 0; })
      .Case([&](SlotAfterOp after) -> std::optional<int64_t> {
        std::optional<int64_t> index = get(after.getIndex());
        if (!index)
          return std::nullopt;
        return (*index + after.getDistance()) % after.getCount();
      })
      .Case([&](arith::SelectOp select) -> std::optional<int64_t> {
        std::optional<int64_t> condition = get(select.getCondition());
        if (!condition)
          return std::nullopt;
        return get(*condition ? select.getTrueValue() : select.getFalseValue());
      })
      .Default([&](Operation *) { return fold(op); });
}

std::optional<int64_t> ScalarValues::fold(Operation *op) const {
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> number = get(operand);
    operands.push_back(number && operand.getType().isIntOrIndex()
                           ? IntegerAttr::get(operand.getType(), *number)
                           : Attribute());
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return std::nullopt;
  if (auto value = dyn_cast<Value>(results.front()))
    return get(value);
  auto integer =
      dyn_cast_or_null<IntegerAttr>(cast<Attribute>(results.front()));
  if (!integer)
    return std::nullopt;
  return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                        : integer.getValue().getSExtValue();
}

LogicalResult ScalarValues::evaluate(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
    return success();
  std::optional<int64_t> number = compute(op);
  set(op->getResult(0), number);
  return success(number || !isa<tile::SizeOp>(op));
}

std::optional<LoopBounds> ScalarValues::getBounds(scf::ForOp loop) const {
  std::optional<int64_t> lower = get(loop.getLowerBound()),
                         upper = get(loop.getUpperBound()),
                         step = get(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return LoopBounds{*lower, *upper, *step};
}

Region &ScalarValues::choose(scf::IfOp branch) const {
  // A vote asks for something rare.
  bool isTaken = get(branch.getCondition())
                     .value_or(!branch.getCondition().getDefiningOp<AnyOp>());
  return isTaken ? branch.getThenRegion() : branch.getElseRegion();
}

std::optional<bool> ScalarValues::takeCondition(scf::ConditionOp condition) {
  auto loop = cast<scf::WhileOp>(condition->getParentOp());
  std::optional<int64_t> goesOn = get(condition.getCondition());
  if (!goesOn)
    return std::nullopt;
  assign(*goesOn ? ValueRange(loop.getAfterArguments())
                 : ValueRange(loop.getResults()),
         condition.getArgs());
  return *goesOn;
}
