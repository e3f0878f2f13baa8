//===- ConvertTiles.cpp - Tiles and their layouts ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates tiles on demand in requested layouts. A value has several forms,
// which are cached by layout. Each form is created at the marker after the
// definition, so it dominates all uses. Free values are computed again in the
// requested layout, recursively (rematerialization).
//
//===----------------------------------------------------------------------===//

#include "KernelConversion.h"

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/SM/IR/RegisterPressureText.h"
#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/Movement.h"

#include "mlir/IR/IRMapping.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

static RankedTensorType getTileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Returns the layout of the operand from which `op` computes `layout`. It
/// exists: a layout remains a layout if a dimension is dropped, added or
/// exchanged.
static Layout getSourceLayout(Operation *op, const Layout &layout) {
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return llvm::cantFail(layout::sliceDim(layout, expand.getAxis()));
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return llvm::cantFail(sm::getBroadcastSource(
        layout, getTileType(broadcast.getSource()).getShape()));
  if (isa<tile::TransposeOp>(op))
    return llvm::cantFail(layout::permuteDims(layout, {1, 0}));
  return layout;
}

void KernelConversion::define(Value old, Value made) {
  if (!isa<RankedTensorType>(old.getType())) {
    scalars[old] = {made};
    return;
  }
  // Marks the place after the definition, where other forms of the tile are
  // created.
  Operation *marker = UnrealizedConversionCastOp::create(
      builder, old.getLoc(), builder.getI1Type(), ValueRange());
  markers.push_back(marker);
  tiles[old] = {made, marker};
}

FailureOr<Value> KernelConversion::getTile(Value value, const Layout &layout) {
  std::pair<Value, Attribute> key = {
      value, LayoutAttr::get(builder.getContext(), layout)};
  if (Value known = inLayout.lookup(key))
    return known;
  TileValue tile = tiles.lookup(value);
  if (tile.value &&
      tile.value.getType() == Type(withLayout(getTileType(value), layout)))
    return tile.value;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(tile.marker);
  Value made;
  if (!tile.value) {
    FailureOr<Operation *> op = compute(value.getDefiningOp(), layout);
    if (failed(op))
      return failure();
    made = (*op)->getResult(0);
  } else if (isa<SmemType>(tile.value.getType())) {
    made =
        SmemLoadOp::create(builder, value.getLoc(),
                           withLayout(getTileType(value), layout), tile.value);
  } else {
    made =
        ConvertOp::create(builder, value.getLoc(),
                          withLayout(getTileType(value), layout), tile.value);
    ++numConverts;
    if (options.remarks) {
      llvm::Expected<layout::Movement> movement =
          layout::getMovement(sm::getLayout(tile.value.getType()), layout);
      StringRef name =
          movement ? layout::getMovementName(*movement) : "unknown";
      if (!movement)
        llvm::consumeError(movement.takeError());
      mlir::emitRemark(value.getLoc())
          << "changes its layout: " << sm::describeShape(getTileType(value))
          << " moves " << name << " [layout-changed]";
    }
  }
  inLayout[key] = made;
  return made;
}

//===----------------------------------------------------------------------===//
// Computing a tile in a given layout
//===----------------------------------------------------------------------===//

FailureOr<Operation *>
KernelConversion::computeElementwise(Operation *op, const Layout &layout) {
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      mapping.map(operand, getScalar(operand));
      continue;
    }
    FailureOr<Value> tile = getTile(operand, layout);
    if (failed(tile))
      return failure();
    mapping.map(operand, *tile);
  }
  Operation *made = builder.clone(*op, mapping);
  for (Value result : made->getResults())
    result.setType(withLayout(getTileType(result), layout));
  return made;
}

/// Returns the ops that compute positions and the values that are compared with
/// them.
Operation *KernelConversion::computePositions(Operation *op,
                                              RankedTensorType type) {
  Location loc = op->getLoc();
  if (isa<tile::IotaOp>(op))
    return IndicesOp::create(builder, loc, type, makeIndex(loc, 0));
  Value range = op->getOperand(0);
  if (isa<tile::IndicesOp>(op))
    return IndicesOp::create(builder, loc, type, getStart(range));
  auto positions = RankedTensorType::get(type.getShape(), builder.getI32Type(),
                                         type.getEncoding());
  Value indices = IndicesOp::create(builder, loc, positions, getStart(range));
  Value limit = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                           getLimit(range));
  Value limits = tensor::SplatOp::create(builder, loc, limit, positions);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, indices,
                               limits);
}

FailureOr<Operation *> KernelConversion::compute(Operation *op,
                                                 const Layout &layout) {
  Location loc = op->getLoc();
  RankedTensorType type = withLayout(getTileType(op->getResult(0)), layout);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!value)
      return op->emitError() << "expected the elements of a constant tile to "
                                "be written out";
    return arith::ConstantOp::create(builder, loc, value.reshape(type))
        .getOperation();
  }
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return tensor::SplatOp::create(builder, loc, getScalar(splat.getInput()),
                                   type)
        .getOperation();
  if (isa<tile::IotaOp, tile::IndicesOp, tile::ValidOp>(op))
    return computePositions(op, type);
  if (isElementwise(op))
    return computeElementwise(op, layout);

  FailureOr<Value> tile =
      getTile(op->getOperand(0), getSourceLayout(op, layout));
  if (failed(tile))
    return failure();
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return ExpandDimsOp::create(builder, loc, type, *tile, expand.getAxis())
        .getOperation();
  if (isa<tile::BroadcastOp>(op))
    return BroadcastOp::create(builder, loc, type, *tile).getOperation();
  if (isa<tile::TransposeOp>(op))
    return TransposeOp::create(builder, loc, type, *tile).getOperation();
  auto scan = cast<tile::ScanOp>(op);
  return ScanOp::create(builder, loc, type, scan.getKind(), *tile,
                        scan.getAxis(), scan.getReverse())
      .getOperation();
}

//===----------------------------------------------------------------------===//
// Rearrangements: operands and result have any layouts
//===----------------------------------------------------------------------===//

LogicalResult KernelConversion::convertRearrange(tile::RearrangeOp op) {
  const Layout &result = assignment.get(op);
  SmallVector<Value> sources;
  for (auto [number, source] : llvm::enumerate(op.getSources())) {
    std::optional<Layout> layout;
    if (!assignment.isFree(source))
      layout = assignment.get(source);
    else
      layout = getRearrangedSource(op, number, result);
    FailureOr<Value> tile = getTile(
        source, layout ? *layout : assignment.getDefault(getTileType(source)));
    if (failed(tile))
      return failure();
    sources.push_back(*tile);
  }
  define(op, RearrangeOp::create(
                 builder, op.getLoc(), withLayout(getTileType(op), result),
                 sources, op.getOffset(), op.getStrides(), op.getToggle()));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions: their result has the layout that it gets
//===----------------------------------------------------------------------===//

LogicalResult KernelConversion::convertReduce(tile::ReduceOp reduce) {
  Value source = reduce.getSource();
  RankedTensorType type = getTileType(source);
  int64_t axis = reduce.getAxis();
  std::optional<int64_t> keep = reduce.getKeep();
  std::optional<Layout> layout;
  if (!assignment.isFree(source)) {
    llvm::Expected<Layout> reduced =
        sm::getReduceLayout(assignment.get(source), axis, keep);
    if (reduced)
      layout = assignment.get(source);
    else
      llvm::consumeError(reduced.takeError());
  }
  if (!layout)
    layout =
        assignment.findReduceSource(type, axis, keep, &assignment.get(reduce));
  if (!layout)
    layout = assignment.findReduceSource(type, axis, keep, nullptr);
  // Registers can iterate over the dropped elements, whatever their extent.
  assert(layout && "expected a layout that keeps any part of an axis");
  FailureOr<Value> tile = getTile(source, *layout);
  if (failed(tile))
    return failure();
  define(reduce, ReduceOp::create(builder, reduce.getLoc(), reduce.getKind(),
                                  *tile, axis, keep));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions and scans by a region: all operands have one layout
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
KernelConversion::getCombinedTiles(ValueRange sources, unsigned axis) {
  std::optional<Layout> layout;
  for (Value source : sources)
    if (!layout && !assignment.isFree(source) &&
        sm::getAxisDigits(assignment.get(source), axis))
      layout = assignment.get(source);
  if (!layout)
    layout =
        assignment.findLayoutWithDigits(getTileType(sources.front()), axis);
  SmallVector<Value> tiles;
  for (Value source : sources) {
    FailureOr<Value> tile = getTile(source, *layout);
    if (failed(tile))
      return failure();
    tiles.push_back(*tile);
  }
  return tiles;
}

LogicalResult KernelConversion::convertReduceWith(tile::ReduceWithOp reduce) {
  FailureOr<SmallVector<Value>> tiles =
      getCombinedTiles(reduce.getSources(), reduce.getAxis());
  if (failed(tiles))
    return failure();
  Layout layout = llvm::cantFail(sm::getReduceLayout(
      sm::getLayout(tiles->front().getType()), reduce.getAxis(), {}));
  SmallVector<Type> types;
  for (Value result : reduce.getResults())
    types.push_back(withLayout(getTileType(result), layout));
  auto made = ReduceWithOp::create(builder, reduce.getLoc(), types, *tiles,
                                   reduce.getAxis());
  IRMapping mapping;
  reduce.getCombiner().cloneInto(&made.getCombiner(), mapping);
  defineAll(reduce.getResults(), made.getResults());
  return success();
}

LogicalResult KernelConversion::convertScanWith(tile::ScanWithOp scan) {
  FailureOr<SmallVector<Value>> tiles =
      getCombinedTiles(scan.getSources(), scan.getAxis());
  if (failed(tiles))
    return failure();
  auto made =
      ScanWithOp::create(builder, scan.getLoc(), TypeRange(ValueRange(*tiles)),
                         *tiles, scan.getAxis(), scan.getReverse());
  IRMapping mapping;
  scan.getCombiner().cloneInto(&made.getCombiner(), mapping);
  defineAll(scan.getResults(), made.getResults());
  return success();
}
