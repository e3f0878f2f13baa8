//===- SMTileOps.cpp - Tiles in registers -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/Tile/IR/Combiner.h"

#include "tessera/Layout/Algebra.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Checks `actual` against the layout that the operation prescribes.
static LogicalResult verifyLayout(Operation *op, RankedTensorType actual,
                                  llvm::Expected<Layout> expected) {
  if (!expected)
    return op->emitOpError() << "has no layout for its result: "
                             << llvm::toString(expected.takeError());
  if (*expected != getLayout(actual))
    return op->emitOpError()
           << "expected a result of layout '" << expected->str() << "', got '"
           << getLayout(actual).str() << "'";
  return success();
}

static LogicalResult verifyShape(Operation *op, RankedTensorType actual,
                                 ArrayRef<int64_t> shape, Type element) {
  auto expected = RankedTensorType::get(shape, element);
  if (actual.getShape() != shape || actual.getElementType() != element)
    return op->emitOpError() << "expected the result to be " << expected
                             << " with a layout, got " << actual;
  return success();
}

static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "expected an axis from 0 to " << rank - 1
                           << ", got " << axis;
}

LogicalResult IndicesOp::verify() {
  auto type = getType();
  if (type.getRank() != 1 || !type.getElementType().isInteger(32))
    return emitOpError() << "expected the result to be a tile of rank 1 of "
                            "i32, got "
                         << type;
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp, ScanOp
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getReducedShape(ArrayRef<int64_t> shape,
                                            int64_t axis,
                                            std::optional<int64_t> keep) {
  SmallVector<int64_t> result(shape);
  if (keep)
    result[axis] = *keep;
  else
    result.erase(result.begin() + axis);
  return result;
}

void ReduceOp::build(OpBuilder &builder, OperationState &state,
                     tile::ReduceKind kind, Value source, int64_t axis,
                     std::optional<int64_t> keep) {
  auto type = cast<RankedTensorType>(source.getType());
  Layout layout = llvm::cantFail(getReduceLayout(getLayout(type), axis, keep));
  auto result = RankedTensorType::get(
      getReducedShape(type.getShape(), axis, keep), type.getElementType(),
      LayoutAttr::get(builder.getContext(), layout));
  build(builder, state, result, kind, source, axis,
        keep ? builder.getI64IntegerAttr(*keep) : IntegerAttr());
}

LogicalResult ReduceOp::verify() {
  RankedTensorType source = getSource().getType();
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, source.getRank())))
    return failure();
  if (source.getElementType().isInteger(1))
    return emitOpError() << "cannot reduce elements of i1";
  std::optional<int64_t> keep = getKeep();
  if (keep && (*keep < 1 || source.getDimSize(axis) % *keep != 0))
    return emitOpError() << "expected 'keep' to divide the extent "
                         << source.getDimSize(axis) << ", got " << *keep;
  if (failed(verifyShape(*this, getType(),
                         getReducedShape(source.getShape(), axis, keep),
                         source.getElementType())))
    return failure();
  return verifyLayout(*this, getType(),
                      getReduceLayout(getLayout(source), axis, keep));
}

LogicalResult ScanOp::verify() {
  if (getSource().getType().getElementType().isInteger(1))
    return emitOpError() << "cannot scan elements of i1";
  return verifyAxis(*this, getAxis(), getSource().getType().getRank());
}

//===----------------------------------------------------------------------===//
// ReduceWithOp, ScanWithOp
//===----------------------------------------------------------------------===//

/// Checks the operands and the region of a reduction or scan with a region.
template <typename OpTy>
static LogicalResult verifyWith(OpTy op) {
  if (failed(tile::verifyCombinedSources(op, op.getAxis())))
    return failure();
  auto first = cast<RankedTensorType>(op.getSources().front().getType());
  for (Type type : op.getOperandTypes())
    if (getLayout(type) != getLayout(first))
      return op.emitOpError() << "expected sources of one layout, got " << first
                              << " and " << type;
  if (!getAxisDigits(getLayout(first), op.getAxis()))
    return op.emitOpError() << "expected a layout that numbers the positions "
                               "on the axis by digits, got '"
                            << getLayout(first).str() << "'";
  return tile::verifyCombiner(op, op.getCombiner(),
                              tile::getElementTypes(op.getSources()));
}

LogicalResult ReduceWithOp::verify() {
  if (failed(verifyWith(*this)))
    return failure();
  for (auto [source, result] : llvm::zip_equal(getSources(), getResults())) {
    auto from = cast<RankedTensorType>(source.getType());
    auto to = cast<RankedTensorType>(result.getType());
    if (failed(verifyShape(
            *this, to,
            getReducedShape(from.getShape(), getAxis(), std::nullopt),
            from.getElementType())) ||
        failed(verifyLayout(
            *this, to,
            getReduceLayout(getLayout(from), getAxis(), std::nullopt))))
      return failure();
  }
  return success();
}

LogicalResult ScanWithOp::verify() {
  if (failed(verifyWith(*this)))
    return failure();
  for (auto [source, result] : llvm::zip_equal(getSources(), getResults()))
    if (source.getType() != result.getType())
      return emitOpError() << "expected a result of " << source.getType()
                           << ", got " << result.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Changes of shape and layout
//===----------------------------------------------------------------------===//

void ExpandDimsOp::build(OpBuilder &builder, OperationState &state,
                         Value source, int64_t axis) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, 1);
  Layout layout = llvm::cantFail(layout::insertDim(getLayout(type), axis));
  build(builder, state,
        RankedTensorType::get(shape, type.getElementType(),
                              LayoutAttr::get(builder.getContext(), layout)),
        source, axis);
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = getSource().getType();
  if (failed(verifyAxis(*this, getAxis(), source.getRank() + 1)))
    return failure();
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + getAxis(), 1);
  if (failed(verifyShape(*this, getType(), shape, source.getElementType())))
    return failure();
  return verifyLayout(*this, getType(),
                      layout::insertDim(getLayout(source), getAxis()));
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  bool fits = source.getRank() == result.getRank() &&
              source.getElementType() == result.getElementType();
  for (int64_t dim = 0; fits && dim < source.getRank(); ++dim)
    fits = source.getDimSize(dim) == 1 ||
           source.getDimSize(dim) == result.getDimSize(dim);
  if (!fits)
    return emitOpError() << "cannot repeat " << source << " to " << result;
  if (!isBroadcastLocal(getLayout(source), getLayout(result)))
    return emitOpError() << "expected each thread to hold the source of its "
                            "elements; convert the operand first";
  return success();
}

void TransposeOp::build(OpBuilder &builder, OperationState &state,
                        Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  Layout layout = llvm::cantFail(layout::permuteDims(getLayout(type), {1, 0}));
  build(builder, state,
        RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                              type.getElementType(),
                              LayoutAttr::get(builder.getContext(), layout)),
        source);
}

LogicalResult TransposeOp::verify() {
  RankedTensorType source = getSource().getType();
  if (source.getRank() != 2)
    return emitOpError() << "expected a tile of rank 2, got " << source;
  if (failed(verifyShape(*this, getType(),
                         {source.getDimSize(1), source.getDimSize(0)},
                         source.getElementType())))
    return failure();
  return verifyLayout(*this, getType(),
                      layout::permuteDims(getLayout(source), {1, 0}));
}

LogicalResult RearrangeOp::verify() {
  return tile::IndexMap::get(*this).verify(*this);
}

LogicalResult ConvertOp::verify() {
  RankedTensorType source = getSource().getType(), result = getType();
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "expected operand and result to differ in their "
                            "layout only, got "
                         << source << " and " << result;
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (!getShare() && getSource().getType() == getType())
    return getSource();
  return {};
}

LogicalResult AnyOp::verify() {
  if (!getSource().getType().getElementType().isInteger(1))
    return emitOpError() << "expected elements of i1, got "
                         << getSource().getType();
  return success();
}
