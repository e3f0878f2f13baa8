//===- Convert.cpp - From one layout to another -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers sm.convert. If each thread already holds its elements, registers are
// renamed. Otherwise, the tile goes through scratch memory: its holders write
// it in one layout and read it in the other. Invariant: all holders of an
// element write the same value, so the order of their writes does not matter.
//
//===----------------------------------------------------------------------===//

#include "CrossLanePatterns.h"
#include "ScratchAccess.h"

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Layout/FreeDigits.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

namespace {
class Convert : public KernelPattern<ConvertOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ConvertOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers = unpackRegisters(
        rewriter, op.getLoc(), op.getSource().getType(), adaptor.getSource());
    if (std::optional<SmallVector<int64_t>> sources = getRenaming(op)) {
      SmallVector<Value> results;
      for (int64_t source : *sources)
        results.push_back(registers[source]);
      replaceByRegisters(rewriter, op, results);
      return success();
    }
    return exchange(op, registers, rewriter);
  }

private:
  LogicalResult exchange(ConvertOp op, ArrayRef<Value> registers,
                         ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type element = op.getType().getElementType();
    const Layout &from = getLayout(op.getSource().getType());
    const Layout &to = getLayout(op.getType());
    const ThreadGroup &threads = context.getThreads(op);
    FailureOr<Value> base = emitScratchBase(rewriter, context, op);
    if (failed(base))
      return failure();
    ScratchTile tile = getScratchTile(op);
    ScratchAccess source(rewriter, loc, tile, *base, from, threads);
    ScratchAccess result(rewriter, loc, tile, *base, to, threads);
    int64_t storeWidth = tile.getVectorWidth(from);
    int64_t loadWidth = tile.getVectorWidth(to);
    // Lanes and warps that hold the same elements write the same values.
    SmallVector<int64_t> stored = getHoldingRegisters(from);
    Value nothing =
        LLVM::PoisonOp::create(rewriter, loc, registers.front().getType());
    SmallVector<Value> results(getNumRegisters(op.getType()), nothing);
    for (int64_t round = 0; round < tile.getRounds(); ++round) {
      emitRoleBarrier(rewriter, context, op);
      for (int64_t r : stored)
        if (r % storeWidth == 0)
          source.store(rewriter, loc, round, r, registers.slice(r, storeWidth));
      emitRoleBarrier(rewriter, context, op);
      for (int64_t r = 0, e = results.size(); r < e; r += loadWidth) {
        auto slice = MutableArrayRef(results).slice(r, loadWidth);
        llvm::copy(result.load(rewriter, loc, round, r, element,
                               SmallVector<Value>(slice)),
                   slice.begin());
      }
    }
    replaceByRegisters(rewriter, op, results);
    return success();
  }
};
} // namespace

void sm::populateConvertPatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<Convert>(converter, context);
}
