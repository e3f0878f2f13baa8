//===- ElementwisePatterns.cpp - Arithmetic on tiles ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of arith and math on tiles, register by register. Invariant:
// operands and result have one layout, so register r of the result depends on
// registers r alone.
//
//===----------------------------------------------------------------------===//

#include "GlobalMemory/Shuffle.h"
#include "Kernel/Patterns.h"
#include "PackedBytes.h"
#include "ScalarMath.h"

#include "tessera/Dialect/Tile/IR/Asm.h"
#include "tessera/Dialect/Tile/IR/LazyRescale.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
class Unroll : public ConversionPattern {
public:
  Unroll(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!tile::isArithmetic(op) || isa<arith::ConstantOp>(op))
      return failure();
    if (op->getNumResults() != 1 || op->getNumRegions() != 0)
      return failure();
    auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!tile)
      return unrollScalar(op, operands, rewriter);
    if (isPacked(tile) && isPackedInstruction(op))
      return unrollPairs(op, tile, operands, rewriter);
    if (isPacked(tile) && isa<arith::TruncFOp>(op) &&
        getElementTypeOrSelf(op->getOperand(0)).isF32())
      return truncatePairs(op, tile, operands.front(), rewriter);
    if (getNumRegisters(tile) % kBytesOfWord == 0 && isByteInstruction(op))
      return unrollWords(op, operands, rewriter);
    if (getNumRegisters(tile) % kBytesOfWord == 0 && isByteConversion(op))
      return convertWords(op, tile, operands.front(), rewriter);
    if (isa<arith::MulFOp>(op) && tile.getElementType().isF32() &&
        op->hasAttr(tile::kRareFactorAttrName) &&
        !op->getOperand(1).getDefiningOp<arith::ConstantOp>())
      return unrollUnderVote(op, tile, operands, rewriter);
    return unrollElements(op, tile, operands, rewriter);
  }

private:
  LogicalResult unrollScalar(Operation *op, ArrayRef<ValueRange> operands,
                             ConversionPatternRewriter &rewriter) const {
    SmallVector<Value> scalars;
    for (ValueRange operand : operands)
      scalars.push_back(operand.front());
    FailureOr<Value> result = emitElement(rewriter, op, scalars);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

  LogicalResult unrollElements(Operation *op, RankedTensorType tile,
                               ArrayRef<ValueRange> operands,
                               ConversionPatternRewriter &rewriter) const {
    SmallVector<SmallVector<Value>> registers;
    for (auto [type, operand] :
         llvm::zip_equal(op->getOperandTypes(), operands))
      // A scalar, for example the condition of a select, is the same for all
      // registers.
      registers.push_back(
          isa<RankedTensorType>(type)
              ? unpackRegisters(rewriter, op->getLoc(),
                                cast<RankedTensorType>(type), operand)
              : SmallVector<Value>(getNumRegisters(tile), operand.front()));
    SmallVector<SmallVector<Value>> elements(getNumRegisters(tile));
    SmallVector<Value> areRare;
    for (auto [r, element] : llvm::enumerate(elements)) {
      for (ArrayRef<Value> operand : registers)
        element.push_back(operand[r]);
      if (Value isRare = emitIsRareElement(rewriter, op, element))
        areRare.push_back(isRare);
    }
    auto emitAll = [&](OpBuilder &builder, Arguments arguments,
                       SmallVectorImpl<Value> &results) -> LogicalResult {
      for (ArrayRef<Value> element : elements) {
        FailureOr<Value> result = emitElement(builder, op, element, arguments);
        if (failed(result))
          return failure();
        results.push_back(*result);
      }
      return success();
    };
    SmallVector<Value> results;
    if (areRare.empty()) {
      if (failed(emitAll(rewriter, Arguments::All, results)))
        return failure();
    } else {
      results = emitUnderVote(rewriter, op->getLoc(), areRare,
                              [&](OpBuilder &builder, bool isVoted) {
                                SmallVector<Value> values;
                                // A function with rare arguments never fails.
                                (void)emitAll(builder,
                                              isVoted ? Arguments::All
                                                      : Arguments::Frequent,
                                              values);
                                return values;
                              });
    }
    replaceByRegisters(rewriter, op, results);
    return success();
  }

  /// Emits values in a branch that a warp takes if any condition holds, and
  /// other values in the other branch.
  static SmallVector<Value>
  emitUnderVote(OpBuilder &builder, Location loc, ValueRange conditions,
                function_ref<SmallVector<Value>(OpBuilder &, bool)> emit) {
    auto branch = scf::IfOp::create(
        builder, loc, emitAny(builder, loc, conditions),
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, emit(inner, /*isVoted=*/true));
        },
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, emit(inner, /*isVoted=*/false));
        });
    return llvm::to_vector_of<Value>(branch.getResults());
  }

  /// Multiplies in a branch that a warp takes if any of its factors is not 1.
  /// Registers share factors: an accumulator has one factor per row.
  LogicalResult unrollUnderVote(Operation *op, RankedTensorType tile,
                                ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const {
    Location loc = op->getLoc();
    Value one =
        arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(1));
    SmallVector<Value> kept =
        unpackRegisters(rewriter, loc, tile, operands.front());
    SmallVector<Value> factors =
        unpackRegisters(rewriter, loc, tile, operands.back());
    SmallVector<Value> conditions;
    for (Value factor : llvm::SetVector<Value>(factors.begin(), factors.end()))
      conditions.push_back(arith::CmpFOp::create(
          rewriter, loc, arith::CmpFPredicate::UNE, factor, one));
    SmallVector<Value> results = emitUnderVote(
        rewriter, loc, conditions, [&](OpBuilder &builder, bool isVoted) {
          if (!isVoted)
            return kept;
          SmallVector<Value> products;
          for (auto [value, factor] : llvm::zip_equal(kept, factors))
            products.push_back(
                arith::MulFOp::create(builder, loc, value, factor));
          return products;
        });
    replaceByRegisters(rewriter, op, results);
    return success();
  }

  /// Computes two 16-bit elements at a time.
  LogicalResult unrollPairs(Operation *op, RankedTensorType tile,
                            ArrayRef<ValueRange> operands,
                            ConversionPatternRewriter &rewriter) const {
    std::optional<APFloat> distance = getAddedToBytes(op);
    SmallVector<Value> results;
    for (unsigned i = 0; i < operands.front().size(); ++i) {
      SmallVector<Value> pairs;
      for (ValueRange operand : operands)
        pairs.push_back(operand[i]);
      Value moved = distance
                        ? addToConvertedBytes(rewriter, pairs[0], *distance)
                        : Value();
      results.push_back(moved ? moved
                              : emitPackedElements(rewriter, op, pairs));
    }
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>{results});
    return success();
  }

  /// Returns the number that `op` adds to converted bytes, if it does that.
  static std::optional<APFloat> getAddedToBytes(Operation *op) {
    DenseFPElementsAttr numbers;
    if (!isa<arith::AddFOp, arith::SubFOp>(op) ||
        !op->getOperand(0).getDefiningOp() ||
        !isByteConversion(op->getOperand(0).getDefiningOp()) ||
        !matchPattern(op->getOperand(1), m_Constant(&numbers)) ||
        !numbers.isSplat())
      return std::nullopt;
    auto number = numbers.getSplatValue<APFloat>();
    return isa<arith::SubFOp>(op) ? neg(number) : number;
  }

  LogicalResult unrollWords(Operation *op, ArrayRef<ValueRange> operands,
                            ConversionPatternRewriter &rewriter) const {
    Location loc = op->getLoc();
    SmallVector<Value> results;
    for (size_t i = 0; i < operands.front().size(); i += kBytesOfWord) {
      SmallVector<Value> words;
      for (ValueRange operand : operands)
        words.push_back(
            packBytes(rewriter, loc, operand.slice(i, kBytesOfWord)));
      llvm::append_range(
          results, unpackBytes(rewriter, loc, emitBytes(rewriter, op, words)));
    }
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>{results});
    return success();
  }

  LogicalResult convertWords(Operation *op, RankedTensorType tile,
                             ValueRange bytes,
                             ConversionPatternRewriter &rewriter) const {
    Location loc = op->getLoc();
    bool isSigned = isa<arith::SIToFPOp>(op);
    bool isShort = tile.getElementType().isBF16() &&
                   hasSevenBits(op->getOperand(0), isSigned);
    SmallVector<Value> results;
    for (size_t i = 0; i < bytes.size(); i += kBytesOfWord) {
      Value word = packBytes(rewriter, loc, bytes.slice(i, kBytesOfWord));
      llvm::append_range(
          results, isShort
                       ? emitSevenBitsToBF16(rewriter, loc, word, isSigned)
                       : emitBytesToFloats(rewriter, loc, tile.getElementType(),
                                           word, isSigned));
    }
    if (tile.getElementType().isBF16() && !isShort)
      return truncatePairs(op, tile, results, rewriter);
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>{results});
    return success();
  }

  /// Rounds two floats with one instruction.
  LogicalResult truncatePairs(Operation *op, RankedTensorType tile,
                              ValueRange wide,
                              ConversionPatternRewriter &rewriter) const {
    Location loc = op->getLoc();
    auto wideType = VectorType::get(2, rewriter.getF32Type());
    auto type = VectorType::get(2, tile.getElementType());
    SmallVector<Value> results;
    for (unsigned i = 0; i < wide.size(); i += 2) {
      Value pair = LLVM::PoisonOp::create(rewriter, loc, wideType);
      for (unsigned half : {0, 1})
        pair = LLVM::InsertElementOp::create(
            rewriter, loc, pair, wide[i + half], emitI32(rewriter, loc, half));
      results.push_back(LLVM::FPTruncOp::create(rewriter, loc, type, pair));
    }
    rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>{results});
    return success();
  }
};
} // namespace

void sm::populateElementwisePatterns(const RegisterTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<Unroll>(converter, patterns.getContext());
}
