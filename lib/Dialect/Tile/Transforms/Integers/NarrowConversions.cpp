//===- NarrowConversions.cpp - Floats of bytes ----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-narrow-conversions. Sources extend a byte to i32, move it by a
// constant and convert the result, since arithmetic of bytes may wrap around.
// The pass converts the byte itself and moves the float. That is exact if the
// type of the float has all integers of the range.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tessera::tile {
#define GEN_PASS_DEF_NARROWCONVERSIONSPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

/// The bits of an integer that is converted alone.
static constexpr unsigned kNarrow = 8;
/// The digits of an f32, and the most bits of a constant.
static constexpr unsigned kMostBits = 24;

namespace {
/// A tile of bytes that was extended and moved.
struct MovedBytes {
  Value bytes;
  bool isSigned;
  int64_t distance;

  /// Returns the largest magnitude of a byte, before or after the move.
  int64_t getMost() const {
    int64_t least = isSigned ? -128 : 0, most = least + 255;
    return std::max({std::abs(least), most, std::abs(least + distance),
                     std::abs(most + distance)});
  }
};
} // namespace

/// Returns the bytes that `tile` was computed from.
static std::optional<MovedBytes> findBytes(Value tile) {
  int64_t distance = 0;
  APInt constant;
  Operation *op = tile.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
      constant.isSignedIntN(kMostBits)) {
    distance = isa<arith::SubIOp>(op) ? -constant.getSExtValue()
                                      : constant.getSExtValue();
    op = op->getOperand(0).getDefiningOp();
  }
  if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op) ||
      !getElementTypeOrSelf(op->getOperand(0)).isInteger(kNarrow))
    return std::nullopt;
  return MovedBytes{op->getOperand(0), isa<arith::ExtSIOp>(op), distance};
}

/// Checks whether both types have all integers from -`most` to `most`.
static bool haveIntegers(IntegerType integer, FloatType type, int64_t most) {
  unsigned digits = APFloat::semanticsPrecision(type.getFloatSemantics());
  return most <= int64_t(1) << std::min(digits, kMostBits) &&
         APInt(64, most).isSignedIntN(integer.getWidth());
}

/// Returns the result of `op`, a conversion of a signed integer, as that of a
/// byte; null if it is not that.
static Value narrow(OpBuilder &builder, arith::SIToFPOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  std::optional<MovedBytes> moved = findBytes(op.getIn());
  if (!tile || !moved)
    return {};
  auto type = cast<FloatType>(tile.getElementType());
  auto integer = cast<IntegerType>(getElementTypeOrSelf(op.getIn()));
  if (!haveIntegers(integer, type, moved->getMost()))
    return {};
  Location loc = op.getLoc();
  Value converted =
      moved->isSigned
          ? Value(arith::SIToFPOp::create(builder, loc, tile, moved->bytes))
          : arith::UIToFPOp::create(builder, loc, tile, moved->bytes);
  if (moved->distance == 0)
    return converted;
  Attribute distance = builder.getFloatAttr(type, std::abs(moved->distance));
  Value number = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(tile, distance));
  if (moved->distance < 0)
    return arith::SubFOp::create(builder, loc, converted, number);
  return arith::AddFOp::create(builder, loc, converted, number);
}

namespace {
struct NarrowConversions
    : tile::impl::NarrowConversionsPassBase<NarrowConversions> {
  using NarrowConversionsPassBase::NarrowConversionsPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](arith::SIToFPOp op) {
      OpBuilder builder(op);
      Value converted = narrow(builder, op);
      if (!converted)
        return;
      if (remarks)
        op.emitRemark() << "these bytes are converted without wider integers"
                        << " [narrow-conversion]";
      op.replaceAllUsesWith(converted);
      op.erase();
      ++numConverted;
    });
  }
};
} // namespace
