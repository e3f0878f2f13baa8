//===- ShapePatterns.cpp - Ops that only rename registers -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants, and operations that only change which element a register holds.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory/Shuffle.h"
#include "Kernel/Patterns.h"
#include "Kernel/TileCoordinates.h"
#include "tessera/Layout/RegisterMatching.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;
using layout::Point;

/// Emits a constant of an element, in its storage type.
static Value emitConstant(OpBuilder &builder, Location loc, Type element,
                          Attribute value) {
  Type storage = getStorageType(element);
  TypedAttr attribute = cast<TypedAttr>(value);
  if (storage != element)
    attribute = builder.getIntegerAttr(
        storage, cast<FloatAttr>(value).getValue().bitcastToAPInt());
  return LLVM::ConstantOp::create(builder, loc, storage, attribute);
}

namespace {
class Constant : public KernelPattern<arith::ConstantOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    if (!tile) {
      rewriter.replaceOp(
          op, emitConstant(rewriter, loc, op.getType(), op.getValue()));
      return success();
    }
    auto dense = cast<DenseElementsAttr>(op.getValue());
    Type element = tile.getElementType();
    if (!dense.isSplat())
      return convertTable(op, dense, tile, rewriter);
    Value value =
        emitConstant(rewriter, loc, element, dense.getSplatValue<Attribute>());
    replaceByRegisters(rewriter, op,
                       SmallVector<Value>(getNumRegisters(tile), value));
    return success();
  }

private:
  /// Converts a table: elements that differ are loaded by their number from a
  /// constant array.
  LogicalResult convertTable(arith::ConstantOp op, DenseElementsAttr dense,
                             RankedTensorType tile,
                             ConversionPatternRewriter &rewriter) const;
};

class Splat : public KernelPattern<tensor::SplatOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    replaceByRegisters(
        rewriter, op,
        SmallVector<Value>(getNumRegisters(op.getType()), adaptor.getInput()));
    return success();
  }
};

/// Converts a tile of one element to a scalar: all threads hold the element.
class Extract : public KernelPattern<tensor::ExtractOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(tensor::ExtractOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    RankedTensorType tile = op.getTensor().getType();
    if (tile.getNumElements() != 1)
      return op.emitOpError() << "takes one element out of a tile that threads "
                                 "share; reduce it instead";
    rewriter.replaceOp(
        op, unpackRegisters(rewriter, op.getLoc(), tile, adaptor.getTensor())
                .front());
    return success();
  }
};

class Indices : public KernelPattern<IndicesOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(IndicesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    TileCoordinates coordinates(rewriter, loc, getLayout(type),
                                context.getThreads(op));
    Value start = emitToI32(rewriter, loc, adaptor.getStart());
    SmallVector<Value> registers;
    llvm::DenseMap<Value, Value> sums;
    for (int64_t r = 0, e = getNumRegisters(type); r < e; ++r) {
      const Coordinate &coordinate = coordinates.get(r, 0);
      Value &sum = sums[coordinate.dynamic];
      if (!sum)
        sum = coordinate.dynamic ? LLVM::AddOp::create(rewriter, loc, start,
                                                       coordinate.dynamic)
                                 : start;
      registers.push_back(LLVM::AddOp::create(
          rewriter, loc, sum, emitI32(rewriter, loc, coordinate.constant)));
    }
    replaceByRegisters(rewriter, op, registers);
    return success();
  }
};

/// An operation that takes each element of its result from one register of its
/// operand. `getSource` returns that register.
template <typename OpTy>
class Rename : public KernelPattern<OpTy> {
public:
  using KernelPattern<OpTy>::KernelPattern;

  LogicalResult matchAndRewrite(
      OpTy op,
      typename OpTy::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType from = op.getSource().getType();
    RankedTensorType to = op.getType();
    std::optional<SmallVector<int64_t>> sources =
        matchRegisters(getLayout(from), getLayout(to), [&](Point element) {
          return getSource(op, std::move(element));
        });
    if (!sources)
      return op.emitOpError() << "has a thread ask for an element that it does "
                                 "not hold";
    SmallVector<Value> registers =
        unpackRegisters(rewriter, op.getLoc(), from, adaptor.getSource());
    SmallVector<Value> results;
    for (int64_t source : *sources)
      results.push_back(registers[source]);
    replaceByRegisters(rewriter, op, results);
    return success();
  }

private:
  static Point getSource(ExpandDimsOp op, Point element) {
    element.erase(element.begin() + op.getAxis());
    return element;
  }
  static Point getSource(TransposeOp, Point element) {
    std::swap(element[0], element[1]);
    return element;
  }
  static Point getSource(BroadcastOp op, Point element) {
    for (auto [coordinate, extent] :
         llvm::zip_equal(element, op.getSource().getType().getShape()))
      if (extent == 1)
        coordinate = 0;
    return element;
  }
};

/// Emits whether any register of any lane is true.
class Any : public KernelPattern<AnyOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(AnyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, emitAny(rewriter, op.getLoc(), adaptor.getOperands().front()));
    return success();
  }
};
} // namespace

LogicalResult
Constant::convertTable(arith::ConstantOp op, DenseElementsAttr dense,
                       RankedTensorType tile,
                       ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  Type element = tile.getElementType();
  // Each thread selects by its coordinates. A table in memory would need a
  // global for each constant.
  TileCoordinates coordinates(rewriter, loc, getLayout(tile),
                              context.getThreads(op));
  constexpr int64_t kMaxElements = 256;
  if (dense.getNumElements() > kMaxElements)
    return op.emitOpError() << "has " << dense.getNumElements()
                            << " different elements, at most " << kMaxElements
                            << " can be written into the code; load them from "
                               "a parameter";
  SmallVector<Value> registers;
  for (int64_t r = 0, e = getNumRegisters(tile); r < e; ++r) {
    Value number = emitI32(rewriter, loc, 0);
    for (auto [dim, extent] : llvm::enumerate(tile.getShape())) {
      const Coordinate &coordinate = coordinates.get(r, dim);
      number = LLVM::MulOp::create(rewriter, loc, number,
                                   emitI32(rewriter, loc, extent));
      number = LLVM::AddOp::create(rewriter, loc, number,
                                   emitI32(rewriter, loc, coordinate.constant));
      if (coordinate.dynamic)
        number = LLVM::AddOp::create(rewriter, loc, number, coordinate.dynamic);
    }
    Value selected;
    for (auto [i, value] : llvm::enumerate(dense.getValues<Attribute>())) {
      Value constant = emitConstant(rewriter, loc, element, value);
      if (!selected) {
        selected = constant;
        continue;
      }
      Value isIt = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq,
                                        number, emitI32(rewriter, loc, i));
      selected =
          LLVM::SelectOp::create(rewriter, loc, isIt, constant, selected);
    }
    registers.push_back(selected);
  }
  replaceByRegisters(rewriter, op, registers);
  return success();
}

void sm::populateShapePatterns(const LoweringContext &context,
                               const RegisterTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<Any, Constant, Extract, Indices, Rename<BroadcastOp>,
               Rename<ExpandDimsOp>, Rename<TransposeOp>, Splat>(converter,
                                                                 context);
}
