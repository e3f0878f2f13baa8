//===- GroupCombiner.cpp - Combination of groups ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupCombiner.h"

#include "Elementwise/ScalarMath.h"
#include "GlobalMemory/Shuffle.h"
#include "Kernel/RegisterTypeConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace tessera;
using namespace tessera::sm;

Value GroupCombiner::toMoved(OpBuilder &builder, Location loc, unsigned source,
                             Value value) const {
  return emitToWork(builder, loc, elements[source], value);
}

Value GroupCombiner::fromMoved(OpBuilder &builder, Location loc,
                               unsigned source, Value value) const {
  return emitFromWork(builder, loc, elements[source], value);
}

/// Emits a scalar constant of a region in its storage type.
static Value emitConstant(OpBuilder &builder, arith::ConstantOp constant) {
  Type type = constant.getType();
  if (type.isIndex())
    return builder.clone(*constant)->getResult(0);
  Type storage = getStorageType(type);
  TypedAttr value = constant.getValue();
  if (storage != type)
    value = builder.getIntegerAttr(
        storage, cast<FloatAttr>(value).getValue().bitcastToAPInt());
  return LLVM::ConstantOp::create(builder, constant.getLoc(), storage, value);
}

Group GroupCombiner::combine(OpBuilder &builder, Location loc,
                             const Group &left, const Group &right) const {
  if (kind)
    return {kind->combine(builder, loc, left.front(), right.front())};
  Block &block = region->front();
  IRMapping mapping;
  mapping.map(block.getArguments().take_front(left.size()), left);
  mapping.map(block.getArguments().drop_front(left.size()), right);
  for (Operation &op : block.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      mapping.map(constant.getResult(), emitConstant(builder, constant));
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(mapping.lookup(operand));
    FailureOr<Value> result = failure();
    if (!failed)
      result = emitElement(builder, &op, operands);
    if (mlir::failed(result)) {
      failed = true;
      return left;
    }
    mapping.map(op.getResult(0), *result);
  }
  Group result;
  for (Value value : block.getTerminator()->getOperands())
    result.push_back(mapping.lookup(value));
  return result;
}

Group GroupCombiner::combineAll(OpBuilder &builder, Location loc,
                                SmallVector<Group> groups) const {
  while (groups.size() > 1) {
    SmallVector<Group> next;
    for (unsigned i = 0; i + 1 < groups.size(); i += 2)
      next.push_back(combine(builder, loc, groups[i], groups[i + 1]));
    if (groups.size() % 2)
      next.push_back(groups.back());
    groups = std::move(next);
  }
  return groups.front();
}

Group GroupCombiner::select(OpBuilder &builder, Location loc, Value condition,
                            const Group &first, const Group &second) const {
  Group result;
  for (auto [x, y] : llvm::zip_equal(first, second))
    result.push_back(LLVM::SelectOp::create(builder, loc, condition, x, y));
  return result;
}

Group GroupCombiner::shuffle(OpBuilder &builder, Location loc,
                             NVVM::ShflKind shuffle, const Group &group,
                             Value lane) const {
  Group result;
  for (auto [source, value] : llvm::enumerate(group))
    result.push_back(
        fromMoved(builder, loc, source,
                  emitShuffle(builder, loc, shuffle,
                              toMoved(builder, loc, source, value), lane)));
  return result;
}

std::optional<Group> GroupCombiner::emitIdentity(OpBuilder &builder,
                                                 Location loc) const {
  if (!kind)
    return std::nullopt;
  return Group{kind->emitIdentity(builder, loc)};
}
