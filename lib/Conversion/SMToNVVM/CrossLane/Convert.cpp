//===- Convert.cpp - From one layout to another -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers sm.convert and sm.rearrange. If each thread already holds its
// elements, registers are renamed. If lanes hold them for each other, they
// shuffle. Otherwise, the tiles go through scratch memory: their holders write
// them in one layout and read the result in another. Invariant: all holders of
// an element write the same value, so the order of their writes does not
// matter. With `share`, only the first holder writes.
//
//===----------------------------------------------------------------------===//

#include "CrossLanePatterns.h"
#include "ScratchAccess.h"

#include "GlobalMemory/Shuffle.h"

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Layout/FreeDigits.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Emits `value` as bits of at least `width` bits.
static Value toBits(OpBuilder &builder, Location loc, Value value,
                    unsigned width) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (!type.isInteger())
    value = LLVM::BitcastOp::create(builder, loc, builder.getIntegerType(bits),
                                    value);
  if (bits >= width)
    return value;
  return LLVM::ZExtOp::create(builder, loc, builder.getIntegerType(width),
                              value);
}

/// Emits the value of `type` that `toBits` has converted.
static Value fromBits(OpBuilder &builder, Location loc, Value bits, Type type) {
  Type narrow = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits.getType() != narrow)
    bits = LLVM::TruncOp::create(builder, loc, narrow, bits);
  return type == narrow ? bits
                        : LLVM::BitcastOp::create(builder, loc, type, bits);
}

namespace {
/// An operation that passes tiles between threads.
template <typename OpTy>
class ExchangePattern : public KernelPattern<OpTy> {
public:
  using KernelPattern<OpTy>::KernelPattern;

protected:
  /// Passes the registers of the sources through scratch memory.
  LogicalResult exchange(OpTy op, ArrayRef<SmallVector<Value>> sources,
                         ConversionPatternRewriter &rewriter) const;
};

class Convert : public ExchangePattern<ConvertOp> {
public:
  using ExchangePattern::ExchangePattern;

  LogicalResult
  matchAndRewrite(ConvertOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers = unpackRegisters(
        rewriter, op.getLoc(), op.getSource().getType(), adaptor.getSource());
    std::optional<SmallVector<int64_t>> sources = getRenaming(op);
    if (!sources)
      return exchange(op, {registers}, rewriter);
    SmallVector<Value> results;
    for (int64_t source : *sources)
      results.push_back(registers[source]);
    replaceByRegisters(rewriter, op, results);
    return success();
  }
};

class Rearrange : public ExchangePattern<RearrangeOp> {
public:
  using ExchangePattern::ExchangePattern;

  LogicalResult
  matchAndRewrite(RearrangeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<SmallVector<Value>> registers;
    for (auto [source, values] :
         llvm::zip_equal(op.getSources(), adaptor.getSources()))
      registers.push_back(unpackRegisters(
          rewriter, loc, cast<RankedTensorType>(source.getType()), values));
    std::optional<std::vector<layout::RegisterSource>> places =
        getRegisterSources(op);
    if (!places)
      return exchange(op, registers, rewriter);
    SmallVector<Value> results;
    for (const layout::RegisterSource &place : *places) {
      Value value = registers[place.source][place.reg];
      if (place.laneToggle != 0) {
        Value bits = emitShuffle(rewriter, loc, NVVM::ShflKind::bfly,
                                 toBits(rewriter, loc, value, 32),
                                 emitI32(rewriter, loc, place.laneToggle));
        value = fromBits(rewriter, loc, bits, value.getType());
      }
      results.push_back(value);
    }
    replaceByRegisters(rewriter, op, results);
    return success();
  }
};
} // namespace

template <typename OpTy>
LogicalResult
ExchangePattern<OpTy>::exchange(OpTy op, ArrayRef<SmallVector<Value>> sources,
                                ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  const Layout &to = getLayout(type);
  const ThreadGroup &threads = this->context.getThreads(op);
  FailureOr<Value> base = emitScratchBase(rewriter, this->context, op);
  if (failed(base))
    return failure();
  RearrangedTile tile = getRearrangedTile(op);
  // Truth values are bytes in memory.
  Type element = type.getElementType();
  if (element.isInteger(1))
    element = rewriter.getI8Type();
  std::vector<ScratchAccess> stores;
  SmallVector<SmallVector<int64_t>> stored;
  SmallVector<SmallVector<Value>> held;
  for (auto [number, source] : llvm::enumerate(op->getOperands())) {
    const Layout &from = getLayout(source.getType());
    stores.emplace_back(rewriter, loc, tile.tile, *base, from, threads,
                        ArrayRef<int64_t>(tile.sourceStrides[number]),
                        tile.sourceBegins[number]);
    // Lanes and warps that hold the same elements write the same values.
    stored.push_back(getHoldingRegisters(from));
    held.push_back(sources[number]);
    if (element != type.getElementType())
      for (Value &value : held.back())
        value = toBits(rewriter, loc, value, 8);
  }
  ScratchAccess result(rewriter, loc, tile.tile, *base, to, threads,
                       ArrayRef<int64_t>(tile.map.strides), tile.map.offset,
                       tile.map.toggle);
  // With `share`, only the first holder of an element has its value.
  Value isFirstHolder;
  if constexpr (std::is_same_v<OpTy, ConvertOp>)
    if (op.getShare())
      isFirstHolder = getHolders(rewriter, loc,
                                 getLayout(op.getSource().getType()), threads)
                          .isHolder;
  int64_t loadWidth = tile.getLoadWidth(to);
  Value nothing =
      LLVM::PoisonOp::create(rewriter, loc, held.front().front().getType());
  SmallVector<Value> results(getNumRegisters(type), nothing);
  for (int64_t round = 0; round < tile.tile.getRounds(); ++round) {
    emitRoleBarrier(rewriter, this->context, op);
    for (auto [number, source] : llvm::enumerate(op->getOperands())) {
      int64_t width = tile.getStoreWidth(number, getLayout(source.getType()));
      for (int64_t r : stored[number])
        if (r % width == 0)
          stores[number].store(rewriter, loc, round, r,
                               ArrayRef(held[number]).slice(r, width),
                               /*shift=*/{}, isFirstHolder);
    }
    emitRoleBarrier(rewriter, this->context, op);
    for (int64_t r = 0, e = results.size(); r < e; r += loadWidth) {
      auto slice = MutableArrayRef(results).slice(r, loadWidth);
      llvm::copy(result.load(rewriter, loc, round, r, element,
                             SmallVector<Value>(slice)),
                 slice.begin());
    }
  }
  if (element != type.getElementType())
    for (Value &value : results)
      value = fromBits(rewriter, loc, value, rewriter.getI1Type());
  replaceByRegisters(rewriter, op, results);
  return success();
}

void sm::populateConvertPatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<Convert, Rearrange>(converter, context);
}
