//===- ConvertAccesses.cpp - Loads and stores -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts loads and stores of tiles to accesses of boxes: an index and a limit
// per dimension. Invariant: an element is accessed only if its position is
// below the limit of its range and inside the tensor, unless the access is in
// bounds.
//
//===----------------------------------------------------------------------===//

#include "KernelConversion.h"

#include "mlir/IR/Matchers.h"
#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// The operands that all accesses share (SMMemoryOps.td).
struct KernelConversion::Box {
  SmallVector<Value> indices, limits;
  Value mask;
  SmallVector<int64_t> dims;
  DenseBoolArrayAttr inBounds;
  /// Null unless indices are paired.
  DenseI64ArrayAttr axes;
};

/// Checks whether both are the same constant.
static bool areEqualConstants(Value a, Value b) {
  llvm::APInt x, y;
  return matchPattern(a, m_ConstantInt(&x)) &&
         matchPattern(b, m_ConstantInt(&y)) && x == y;
}

/// Creates the test that a position lies in a dimension, right after the
/// position: a loop that only uses the position does not repeat the test.
Value KernelConversion::makeInside(Location loc, Value position, Value size) {
  OpBuilder::InsertionGuard guard(builder);
  // The test also follows `size`: sizes follow the parameters and precede all
  // other values.
  Operation *op = position.getDefiningOp();
  bool isBeforeSizes = position.getParentBlock() == entry &&
                       (!op || op == lastSize || op->isBeforeInBlock(lastSize));
  if (isBeforeSizes)
    builder.setInsertionPointAfter(lastSize);
  else
    builder.setInsertionPointAfterValue(position);
  // An unsigned comparison, which also checks that the position is at least 0.
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                               position, size);
}

static bool isMinimumWith(Value value, Value bound) {
  auto minimum = value.getDefiningOp<arith::MinSIOp>();
  return minimum && (minimum.getLhs() == bound || minimum.getRhs() == bound);
}

/// Creates the minimum of the end of a range and the extent of a tensor.
/// Positions are compared with it as unsigned numbers, so it must not be
/// negative.
Value KernelConversion::makeLimit(Value range, Value end, Value extent) {
  Location loc = end.getLoc();
  if (!tile::isLimitNonNegative(range))
    end = arith::MaxSIOp::create(builder, loc, end, makeIndex(loc, 0));
  if (isMinimumWith(end, extent))
    return end;
  return arith::MinSIOp::create(builder, loc, end, extent);
}

/// Checks whether an access may go on where its range ends.
template <typename OpTy>
static bool hasOpenEnd(OpTy op, unsigned dim) {
  if constexpr (std::is_same_v<OpTy, tile::LoadOp>)
    return op.hasOpenEnd(dim);
  return false;
}

template <typename OpTy>
FailureOr<KernelConversion::Box> KernelConversion::getBox(OpTy op,
                                                          const Layout *tile) {
  Location loc = op.getLoc();
  tile::GlobalType global = op.getGlobalType();
  Box box;
  box.axes = op.getAxesAttr();
  SmallVector<tile::IndexAxes> axes = op.getIndexAxes();
  SmallVector<bool> flags;
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    tile::SizeAttr size = global.getShape()[dim];
    bool isValid = op.isInBounds(dim);
    if (index.getType().isIndex()) {
      Value position = getScalar(index);
      box.indices.push_back(position);
      if (isValid)
        continue;
      Value inside = makeInside(loc, position, getSize(size));
      box.mask = box.mask
                     ? arith::AndIOp::create(builder, loc, box.mask, inside)
                     : inside;
      continue;
    }
    Value limit = getSize(size);
    if (auto type = dyn_cast<tile::RangeType>(index.getType())) {
      box.indices.push_back(getStart(index));
      Value end = getLimit(index);
      // A full range ends before its own limit, so only the limit of the tensor
      // remains.
      bool walksAll = isValid || hasOpenEnd(op, dim) || end == limit ||
                      tile::isFullRange(index) ||
                      (type.getDimension() &&
                       type.getDimension() == size.getSingleSymbol()) ||
                      areEqualConstants(end, limit);
      if (!walksAll)
        limit = makeLimit(index, end, limit);
    } else {
      FailureOr<Value> positions =
          getTile(index, LayoutAssignment::getGatherLayout(*tile, axes[dim]));
      if (failed(positions))
        return failure();
      box.indices.push_back(*positions);
    }
    box.limits.push_back(limit);
    box.dims.push_back(dim);
    flags.push_back(isValid);
  }
  if (llvm::is_contained(flags, true))
    box.inBounds = builder.getDenseBoolArrayAttr(flags);
  return box;
}

LogicalResult KernelConversion::convertLoad(tile::LoadOp load) {
  Location loc = load.getLoc();
  bool isFetched = assigned.fetches.contains(load);
  auto type = dyn_cast<RankedTensorType>(load.getType());
  std::optional<Layout> layout;
  if (type && !isFetched)
    layout = assignment.get(load);
  FailureOr<Box> box = getBox(load, layout ? &*layout : nullptr);
  if (failed(box))
    return failure();
  Value global = getScalar(load.getGlobal());
  if (isFetched) {
    define(load, FetchOp::create(builder, loc, assigned.fetches.lookup(load),
                                 global, box->indices, box->limits, box->mask,
                                 box->dims, box->inBounds,
                                 /*address=*/IntegerAttr()));
    return success();
  }
  Type made = layout ? Type(withLayout(type, *layout)) : load.getType();
  define(load, LoadOp::create(builder, loc, made, global, box->indices,
                              box->limits, box->mask, box->dims, box->inBounds,
                              box->axes, load.getFillAttr()));
  return success();
}

/// Checks whether another warp may still have to read elements that `write`
/// overwrites: several warps may hold an element, or the storing layout may
/// differ from the holding one.
static bool mayOvertakeLoad(Operation *write, Value global) {
  auto isLoad = [&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    return load && load.getGlobal() == global;
  };
  if (llvm::none_of(global.getUsers(), isLoad))
    return false;
  for (Operation *op = write->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<tile::BarrierOp>(op))
      return false;
    WalkResult walk = op->walk([&](Operation *inner) {
      return isLoad(inner) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return true;
  }
  return !isa<tile::KernelOp>(write->getParentOp());
}

/// Converts the parts that stores and atomic operations share. `create` takes
/// the value, the box, and a function that returns another operand of the type
/// of the value.
template <typename OpTy, typename Create>
LogicalResult KernelConversion::convertWrite(OpTy op, Create create) {
  std::optional<Layout> layout;
  if (auto type = dyn_cast<RankedTensorType>(op.getValue().getType()))
    layout = assignment.isFree(op.getValue()) ? assignment.getDefault(type)
                                              : assignment.get(op.getValue());
  bool isComplete = true;
  auto get = [&](Value value) -> Value {
    if (!value || !layout)
      return value ? getScalar(value) : Value();
    FailureOr<Value> tile = getTile(value, *layout);
    isComplete &= succeeded(tile);
    return succeeded(tile) ? *tile : Value();
  };
  Value value = get(op.getValue());
  FailureOr<Box> box = getBox(op, layout ? &*layout : nullptr);
  if (failed(box) || !isComplete)
    return failure();
  if (mayOvertakeLoad(op, op.getGlobal()))
    BarrierOp::create(builder, op.getLoc());
  create(value, *box, get);
  return success(isComplete);
}

LogicalResult KernelConversion::convertStore(tile::StoreOp store) {
  return convertWrite(store, [&](Value value, const Box &box, auto) {
    StoreOp::create(builder, store.getLoc(), value,
                    getScalar(store.getGlobal()), box.indices, box.limits,
                    box.mask, box.dims, box.inBounds, box.axes);
  });
}

LogicalResult KernelConversion::convertAtomic(tile::AtomicOp atomic) {
  return convertWrite(atomic, [&](Value value, const Box &box, auto get) {
    Location loc = atomic.getLoc();
    Value expected = get(atomic.getExpected());
    Type type = atomic.getOld() ? value.getType() : Type();
    auto made = AtomicOp::create(builder, loc, type, atomic.getKind(), value,
                                 expected, getScalar(atomic.getGlobal()),
                                 box.indices, box.limits, box.mask, box.dims,
                                 box.inBounds, box.axes, atomic.getOrder());
    if (type)
      define(atomic.getOld(),
             ConvertOp::create(builder, loc, type, made.getOld(),
                               /*share=*/true));
  });
}
