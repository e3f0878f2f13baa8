//===- ConvertProducts.cpp - Products and their operands --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts products by the plan of the kernel: sm.mma on tensor cores, or
// sm.dot. Operands are converted to the places of the plan, in shared memory or
// in registers.
//
//===----------------------------------------------------------------------===//

#include "KernelConversion.h"
#include "TurnedTile.h"

#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/RegisterTile.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

static RankedTensorType getTileType(const OperandPlan &operand) {
  return cast<RankedTensorType>(operand.tile.getType());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value KernelConversion::makeTransposed(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  // Cannot fail: any layout permits an exchange of dimensions.
  Layout layout =
      llvm::cantFail(layout::permuteDims(sm::getLayout(type), {1, 0}));
  auto turned = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                                      type.getElementType());
  return TransposeOp::create(builder, tile.getLoc(), withLayout(turned, layout),
                             tile);
}

FailureOr<Value> KernelConversion::getTurned(const OperandPlan &operand) {
  RankedTensorType type = getTileType(operand);
  std::optional<TurnedTile> layouts = TurnedTile::find(type, assigned.warps);
  Layout asRead = layouts ? layouts->alongRows : assignment.getDefault(type);
  FailureOr<Value> tile = getTile(operand.tile, asRead);
  if (failed(tile))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(tiles.lookup(operand.tile).marker);
  Value elements = *tile;
  if (layouts)
    elements =
        ConvertOp::create(builder, elements.getLoc(),
                          withLayout(type, layouts->alongColumns), elements);
  return makeTransposed(elements);
}

FailureOr<Value> KernelConversion::getShared(const OperandPlan &operand) {
  TileValue tile = tiles.lookup(operand.tile);
  auto stage = [&](Value source) -> Value {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(tile.marker);
    return SmemStoreOp::create(builder, operand.tile.getLoc(), operand.shared,
                               source, /*address=*/IntegerAttr());
  };
  if (operand.copied) {
    if (Value known = copies.lookup(operand.tile))
      return known;
    FailureOr<Value> turned = getTurned(operand);
    if (failed(turned))
      return failure();
    return copies[operand.tile] = stage(*turned);
  }
  if (tile.value && isa<SmemType>(tile.value.getType()))
    return tile.value;
  if (Value known = staged.lookup(operand.tile))
    return known;
  bool hasLayout = !assignment.isFree(operand.tile);
  FailureOr<Value> source = getTile(
      operand.tile, hasLayout ? assignment.get(operand.tile)
                              : assignment.getDefault(getTileType(operand)));
  if (failed(source))
    return failure();
  return staged[operand.tile] = stage(*source);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult KernelConversion::convertGemm(tile::GemmOp gemm) {
  const ProductPlan &product = assigned.products.find(gemm)->second;
  Layout layout = product.onTensorCores
                      ? llvm::cantFail(layout::getAccumulator(
                            product.m, product.n, assigned.warpgroups))
                      : assignment.get(gemm);
  FailureOr<Value> accumulator = getTile(gemm.getAccumulator(), layout);
  FailureOr<Value> a;
  if (product.a.shared) {
    a = getShared(product.a);
  } else {
    Type element = product.a.getElementType();
    a = getTile(product.a.tile, assignment.getOperandALayout(
                                    product, sm::getElementBytes(element)));
    if (succeeded(a) && product.a.transposed)
      a = makeTransposed(*a);
  }
  FailureOr<Value> b = getShared(product.b);
  if (failed(accumulator) || failed(a) || failed(b))
    return failure();
  Type type = accumulator->getType();
  Value made;
  if (product.onTensorCores)
    made = MmaOp::create(builder, gemm.getLoc(), type, *a, *b, *accumulator,
                         product.a.transposed && product.a.shared,
                         product.b.transposed);
  else
    made = DotOp::create(builder, gemm.getLoc(), type, *a, *b, *accumulator,
                         product.a.transposed, product.b.transposed);
  define(gemm, made);
  return success();
}
