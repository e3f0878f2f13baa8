//===- TileComputeOps.cpp - Products, reductions and shapes -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, folders and canonicalization patterns. C1, C2, … are the
// constraints of the op's description in ODS.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Exponentials.h"
#include "tessera/Dialect/Tile/IR/IndexMap.h"

using namespace tessera;
using namespace tessera::tile;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks the extents of every tile operand and result of `op`.
static LogicalResult verifyTiles(Operation *op) {
  auto emitError = [&] { return op->emitOpError(); };
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes())))
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (failed(verifyTileShape(emitError, tensor.getShape())))
        return failure();
  return success();
}

static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis < 0 || axis >= rank)
    return op->emitOpError()
           << "expected an axis from 0 to " << rank - 1 << ", got " << axis;
  return success();
}

static LogicalResult verifyResult(Operation *op, RankedTensorType expected) {
  Type got = op->getResult(0).getType();
  if (got != expected)
    return op->emitOpError()
           << "expected the result to be " << expected << ", got " << got;
  return success();
}

//===----------------------------------------------------------------------===//
// GemmOp
//===----------------------------------------------------------------------===//

static bool isEightBitFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

LogicalResult GemmOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  RankedTensorType a = getTensorType(getA()), b = getTensorType(getB());
  RankedTensorType d = getTensorType(getResult());
  // C1
  if (a.getRank() != 2 || b.getRank() != 2 || d.getRank() != 2)
    return emitOpError() << "expected tiles of rank 2, got " << a << ", " << b
                         << " and " << d;
  // C2
  auto [m, k] =
      std::pair(a.getDimSize(getTransposeA()), a.getDimSize(!getTransposeA()));
  auto [kb, n] =
      std::pair(b.getDimSize(getTransposeB()), b.getDimSize(!getTransposeB()));
  if (k != kb)
    return emitOpError() << "multiplies " << m << "x" << k << " by " << kb
                         << "x" << n << "; the inner extents differ";
  if (d.getDimSize(0) != m || d.getDimSize(1) != n)
    return emitOpError() << "expected the accumulator to be " << m << "x" << n
                         << ", got " << d;
  // C3
  Type ae = a.getElementType(), be = b.getElementType();
  if (ae != be && !(isEightBitFloat(ae) && isEightBitFloat(be)))
    return emitOpError() << "expected operands of one element type, got " << ae
                         << " and " << be;
  // C4
  Type de = d.getElementType();
  if (isa<FloatType>(ae) ? !de.isF32() : !(ae.isInteger(8) && de.isInteger(32)))
    return emitOpError() << "expected float operands with an f32 accumulator "
                            "or i8 operands with an i32 accumulator, got "
                         << ae << " and " << de;
  // C5
  if (getTf32() && !ae.isF32())
    return emitOpError() << "expected operands of f32 for `tf32`, got " << ae;
  return success();
}

namespace {
/// gemm(transpose(x), y, c) -> gemm(x, y, c) transposed, and the same for y.
struct FoldTransposeIntoGemm : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    auto a = gemm.getA().getDefiningOp<TransposeOp>();
    auto b = gemm.getB().getDefiningOp<TransposeOp>();
    if (!a && !b)
      return rewriter.notifyMatchFailure(gemm, "no operand is a transpose");
    rewriter.replaceOpWithNewOp<GemmOp>(
        gemm, gemm.getType(), a ? a.getSource() : gemm.getA(),
        b ? b.getSource() : gemm.getB(), gemm.getAccumulator(),
        gemm.getTransposeA() != static_cast<bool>(a),
        gemm.getTransposeB() != static_cast<bool>(b), gemm.getTf32());
    return success();
  }
};

/// x + gemm(a, b, 0) -> gemm(a, b, x): the order of the sums is unspecified.
/// Scores that an exponential reads are excluded. Their x may be a mask of
/// -1e9, and tensor cores truncate each product that they add to such a number.
struct FoldSumIntoGemm : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GemmOp gemm,
                                PatternRewriter &rewriter) const override {
    if (!gemm->hasOneUse() ||
        !(matchPattern(gemm.getAccumulator(), m_AnyZeroFloat()) ||
          matchPattern(gemm.getAccumulator(), m_Zero())))
      return rewriter.notifyMatchFailure(gemm, "not a lone product");
    Operation *sum = *gemm->user_begin();
    if (!isa<arith::AddFOp, arith::AddIOp>(sum))
      return rewriter.notifyMatchFailure(gemm, "not added to anything");
    if (feedsExponential(sum->getResult(0)))
      return rewriter.notifyMatchFailure(gemm, "an exponential reads the sum");
    Value other = sum->getOperand(sum->getOperand(0) == gemm.getResult());
    rewriter.setInsertionPoint(sum);
    rewriter.replaceOpWithNewOp<GemmOp>(
        sum, gemm.getType(), gemm.getA(), gemm.getB(), other,
        gemm.getTransposeA(), gemm.getTransposeB(), gemm.getTf32());
    return success();
  }
};
} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldTransposeIntoGemm, FoldSumIntoGemm>(context);
}

//===----------------------------------------------------------------------===//
// ReduceOp and ScanOp
//===----------------------------------------------------------------------===//

/// Returns `shape` with the extent of `axis` dropped, or replaced by `keep`.
static SmallVector<int64_t> getReducedShape(ArrayRef<int64_t> shape,
                                            int64_t axis,
                                            std::optional<int64_t> keep) {
  SmallVector<int64_t> reduced(shape);
  if (keep)
    reduced[axis] = *keep;
  else
    reduced.erase(reduced.begin() + axis);
  return reduced;
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, ReduceKind kind,
                     Value source, int64_t axis, std::optional<int64_t> keep) {
  RankedTensorType type = getTensorType(source);
  build(builder, state,
        RankedTensorType::get(getReducedShape(type.getShape(), axis, keep),
                              type.getElementType()),
        ReduceKindAttr::get(builder.getContext(), kind), source,
        builder.getI64IntegerAttr(axis),
        keep ? builder.getI64IntegerAttr(*keep) : IntegerAttr());
}

LogicalResult ReduceOp::verify() {
  RankedTensorType source = getTensorType(getSource());
  if (failed(verifyTiles(*this)) ||
      failed(verifyAxis(*this, getAxis(), source.getRank()))) // C1
    return failure();
  if (source.getElementType().isInteger(1)) // C3
    return emitOpError() << "expected numbers, got " << source;
  std::optional<int64_t> keep;
  if (getKeep()) {
    keep = *getKeep();
    int64_t extent = source.getDimSize(getAxis());
    if (*keep < 1 || extent % *keep != 0) // C4
      return emitOpError() << "expected 'keep' to divide the extent " << extent
                           << " of the axis, got " << *keep;
  }
  return verifyResult( // C2
      *this,
      RankedTensorType::get(getReducedShape(source.getShape(), getAxis(), keep),
                            source.getElementType()));
}

LogicalResult ScanOp::verify() {
  RankedTensorType source = getTensorType(getSource());
  if (failed(verifyTiles(*this)) ||
      failed(verifyAxis(*this, getAxis(), source.getRank()))) // C1
    return failure();
  if (source.getElementType().isInteger(1)) // C2
    return emitOpError() << "expected numbers, got " << source;
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getTensorType(getSource());
  RankedTensorType result = getTensorType(getResult());
  if (failed(verifyTiles(*this)))
    return failure();
  if (source.getRank() != result.getRank() || // C1
      source.getElementType() != result.getElementType())
    return emitOpError() << "expected source and result of one rank and "
                            "element type, got "
                         << source << " and " << result;
  for (auto [from, to] : llvm::zip_equal(source.getShape(), result.getShape()))
    if (from != 1 && from != to) // C2
      return emitOpError() << "expected each extent to be 1 or unchanged, got "
                           << source << " to " << result;
  return success();
}

/// Returns the splat `attribute` with the shape of `type`, or null.
static Attribute reshapeSplat(Attribute attribute, Type type) {
  if (auto splat = dyn_cast_if_present<SplatElementsAttr>(attribute))
    return splat.resizeSplat(cast<ShapedType>(type));
  return {};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

void ExpandDimsOp::build(OpBuilder &builder, OperationState &state,
                         Value source, int64_t axis) {
  RankedTensorType type = getTensorType(source);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis, 1);
  build(builder, state, RankedTensorType::get(shape, type.getElementType()),
        source, axis);
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = getTensorType(getSource());
  if (failed(verifyTiles(*this)) ||
      failed(verifyAxis(*this, getAxis(), source.getRank() + 1))) // C1
    return failure();
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + getAxis(), 1);
  return verifyResult( // C2
      *this, RankedTensorType::get(shape, source.getElementType()));
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return reshapeSplat(adaptor.getSource(), getType());
}

void TransposeOp::build(OpBuilder &builder, OperationState &state,
                        Value source) {
  RankedTensorType type = getTensorType(source);
  build(builder, state,
        RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                              type.getElementType()),
        source);
}

LogicalResult TransposeOp::verify() {
  RankedTensorType source = getTensorType(getSource());
  if (failed(verifyTiles(*this)))
    return failure();
  if (source.getRank() != 2) // C1
    return emitOpError() << "expected a tile of rank 2, got " << source;
  return verifyResult( // C2
      *this, RankedTensorType::get({source.getDimSize(1), source.getDimSize(0)},
                                   source.getElementType()));
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getSource().getDefiningOp<TransposeOp>())
    return inner.getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

//===----------------------------------------------------------------------===//
// RearrangeOp
//===----------------------------------------------------------------------===//

LogicalResult RearrangeOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  return IndexMap::get(*this).verify(*this);
}

OpFoldResult RearrangeOp::fold(FoldAdaptor adaptor) {
  IndexMap map = IndexMap::get(*this);
  if (getSources().size() == 1 && getSources().front().getType() == getType() &&
      map.offset == 0 &&
      map.isContiguous(getTensorType(getResult()).getShape()))
    return getSources().front();
  Attribute first = adaptor.getSources().front();
  if (!llvm::all_of(adaptor.getSources(), [&](Attribute source) {
        auto splat = dyn_cast_if_present<SplatElementsAttr>(source);
        return splat &&
               splat.getSplatValue<Attribute>() ==
                   cast<DenseElementsAttr>(first).getSplatValue<Attribute>();
      }))
    return {};
  return reshapeSplat(first, getType());
}

namespace {
/// Takes the elements of a source that is a contiguous part of a tile, such as
/// one of another shape, from that tile.
struct ComposeRearrangements : OpRewritePattern<RearrangeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RearrangeOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSources().size() != 1)
      return rewriter.notifyMatchFailure(op, "several sources");
    auto inner = op.getSources().front().getDefiningOp<RearrangeOp>();
    IndexMap map = IndexMap::get(op);
    if (!inner || map.toggle != 0 ||
        !IndexMap::get(inner).isContiguous(
            cast<RankedTensorType>(inner.getType()).getShape()))
      return rewriter.notifyMatchFailure(op, "the source is not contiguous");
    rewriter.replaceOpWithNewOp<RearrangeOp>(
        op, op.getType(), inner.getSources(), map.offset + inner.getOffset(),
        map.strides, /*toggle=*/0);
    return success();
  }
};
} // namespace

void RearrangeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ComposeRearrangements>(context);
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (failed(verifyTiles(*this)))
    return failure();
  if (type.getRank() != 1) // C1
    return emitOpError() << "expected a result of rank 1, got " << type;
  return success();
}
