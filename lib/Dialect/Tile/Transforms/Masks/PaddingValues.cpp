//===- PaddingValues.cpp - Values of padded elements ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sparse constant propagation over the padded elements of tiles, by memoized
// recursion on defining operations. Invariant: the answer is null unless all
// padded elements along the dimension hold the same known number.
//
//===----------------------------------------------------------------------===//

#include "PaddingValues.h"
#include "TileExtents.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::tile;

TypedAttr tile::getNeutral(ReduceKind kind, Type element) {
  Builder builder(element.getContext());
  if (kind == ReduceKind::Sum)
    return builder.getZeroAttr(element);
  bool isMax = kind == ReduceKind::Max;
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    return FloatAttr::get(type, APFloat::semanticsHasInf(semantics)
                                    ? APFloat::getInf(semantics, isMax)
                                    : APFloat::getLargest(semantics, isMax));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element, isMax ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
}

/// Returns the number that all elements of a constant tile hold; null if
/// `value` is not such a tile.
static TypedAttr getSplat(Attribute value) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(value);
  return splat ? splat.getSplatValue<TypedAttr>() : TypedAttr();
}

/// Folds an elementwise `op` whose operands are known.
TypedAttr PaddingValues::fold(Operation *op, unsigned dim) {
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value condition = select.getCondition();
    auto chosen = dyn_cast_or_null<IntegerAttr>(
        getTileType(condition) ? get(condition, dim) : TypedAttr());
    if (!chosen)
      return {};
    return get(chosen.getValue().isZero() ? select.getFalseValue()
                                          : select.getTrueValue(),
               dim);
  }
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    RankedTensorType type = getTileType(operand);
    TypedAttr number = type ? get(operand, dim) : TypedAttr();
    if (!number)
      return {};
    operands.push_back(DenseElementsAttr::get(type, number));
  }
  // A fold may change its op.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> results;
  bool isFolded = succeeded(copy->fold(operands, results));
  copy->erase();
  return isFolded && results.size() == 1
             ? getSplat(dyn_cast<Attribute>(results.front()))
             : TypedAttr();
}

TypedAttr PaddingValues::find(Operation *op, unsigned dim) {
  Builder builder(op->getContext());
  if (isElementwise(op))
    return fold(op, dim);
  return TypeSwitch<Operation *, TypedAttr>(op)
      .Case([&](LoadOp load) -> TypedAttr {
        TypedAttr fill = load.getFillAttr();
        return fill ? fill
                    : builder.getZeroAttr(
                          getTileType(load.getResult()).getElementType());
      })
      .Case([&](ValidOp) -> TypedAttr { return builder.getBoolAttr(false); })
      .Case([&](arith::ConstantOp constant) {
        return getSplat(constant.getValue());
      })
      .Case([&](ExpandDimsOp expand) -> TypedAttr {
        unsigned axis = expand.getAxis();
        return dim == axis ? TypedAttr()
                           : get(expand.getSource(), dim - (dim > axis));
      })
      .Case([&](TransposeOp transpose) {
        return get(transpose.getSource(), 1 - dim);
      })
      .Case([&](BroadcastOp broadcast) -> TypedAttr {
        Value source = broadcast.getSource();
        return getTileType(source).getDimSize(dim) == 1 ? TypedAttr()
                                                        : get(source, dim);
      })
      .Default(TypedAttr());
}

TypedAttr PaddingValues::get(Value tile, unsigned dim) {
  Operation *op = tile.getDefiningOp();
  if (!op || !getTileType(tile))
    return {};
  auto [at, isNew] = known.try_emplace({tile, dim});
  if (!isNew)
    return at->second;
  TypedAttr number = find(op, dim);
  known[{tile, dim}] = number;
  return number;
}
