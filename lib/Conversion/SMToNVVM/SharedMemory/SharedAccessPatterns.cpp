//===- SharedAccessPatterns.cpp - Registers and shared memory ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies tiles between registers and shared memory. stmatrix and ldmatrix copy
// fragments of products to and from rows of 16-bit elements. Other tiles are
// copied by the widest vectors that registers permit.
//
//===----------------------------------------------------------------------===//

#include "ConflictFreeStores.h"
#include "GlobalMemory/VectorAccess.h"
#include "Kernel/TileCoordinates.h"
#include "SharedValues.h"

using namespace tessera;
using namespace tessera::sm;
//===----------------------------------------------------------------------===//
// ldmatrix
//===----------------------------------------------------------------------===//

static SmallVector<Value> emitMatrixLoads(OpBuilder &builder, Location loc,
                                          const SharedAccessPlan &plan,
                                          Type pair,
                                          ArrayRef<Value> addresses) {
  MLIRContext *context = builder.getContext();
  Type i32 = builder.getI32Type();
  Type type = i32;
  if (plan.matrices->matrices > 1)
    type = LLVM::LLVMStructType::getLiteral(
        context, SmallVector<Type>(plan.matrices->matrices, i32));
  SmallVector<Value> pairs;
  for (Value address : addresses) {
    Value loaded = NVVM::LdMatrixOp::create(
        builder, loc, type, emitSharedPointer(builder, loc, address),
        static_cast<uint32_t>(plan.matrices->matrices), plan.getMatrixLayout(),
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltType::B16);
    for (int64_t m = 0; m < plan.matrices->matrices; ++m) {
      Value word = loaded;
      if (plan.matrices->matrices > 1)
        word = LLVM::ExtractValueOp::create(builder, loc, loaded, m);
      pairs.push_back(LLVM::BitcastOp::create(builder, loc, pair, word));
    }
  }
  return pairs;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct SmemStoreLowering : KernelPattern<SmemStoreOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(SmemStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = emitAllocatedAddress(rewriter, context, op, op.getAddress());
    if (!base)
      return failure();
    RankedTensorType tile = op.getSource().getType();
    SharedAccessPlan plan(tile, op.getType());
    SmallVector<Value> addresses =
        plan.emitAddresses(rewriter, loc, context.getThreads(op), base);
    plan.emitStores(rewriter, loc, addresses, adaptor.getSource());
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct FillLowering : KernelPattern<SlotStoreOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(SlotStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const ThreadGroup &threads = context.getThreads(op);
    ConflictFreeStores access(rewriter, loc, threads, op.getValue().getType(),
                              op.getTile().getType());
    SmallVector<Value> addresses =
        access.emitAddresses(rewriter, loc, threads, adaptor.getTile().front());
    access.emitStores(rewriter, loc, addresses, adaptor.getValue());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReadLowering : KernelPattern<SmemLoadOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(SmemLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getType();
    SharedAccessPlan plan(tile, op.getSource().getType());
    SmallVector<Value> addresses = plan.emitAddresses(
        rewriter, loc, context.getThreads(op), adaptor.getSource().front());
    if (plan.matrices) {
      Type pair = VectorType::get(2, tile.getElementType());
      SmallVector<Value> pairs =
          emitMatrixLoads(rewriter, loc, plan, pair, addresses);
      rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>{pairs});
      return success();
    }
    SmallVector<Value> elements;
    for (Value address : addresses)
      llvm::append_range(elements,
                         emitSharedLoad(rewriter, loc, address,
                                        getStorageType(tile.getElementType()),
                                        plan.width));
    replaceByRegisters(rewriter, op, elements);
    return success();
  }
};

/// Unsigned comparisons skip positions below 0 as well.
struct SmemAtomicLowering : KernelPattern<SmemAtomicOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(SmemAtomicOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getValue().getType();
    SmallVector<Value> values =
        unpackRegisters(rewriter, loc, type, adaptor.getValue());
    SmallVector<Value> positions = unpackRegisters(
        rewriter, loc, op.getPositions().getType(), adaptor.getPositions());
    SmemType tile = op.getTile().getType();
    Value base = adaptor.getTile().front();
    Value extent = emitI32(rewriter, loc, tile.getShape().front());
    Value bytes = emitI32(rewriter, loc, tile.getElementBytes());
    Holders holders =
        getHolders(rewriter, loc, getLayout(type), context.getThreads(op));
    for (int64_t r : holders.registers) {
      Value isInside = LLVM::ICmpOp::create(
          rewriter, loc, LLVM::ICmpPredicate::ult, positions[r], extent);
      Value offset = LLVM::MulOp::create(rewriter, loc, positions[r], bytes);
      Value address = LLVM::AddOp::create(rewriter, loc, base, offset);
      emitSharedReplace(rewriter, loc, op.getKind(), tile.getElementType(),
                        address, values[r],
                        emitAnd(rewriter, loc, isInside, holders.isHolder));
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void sm::populateSharedAccessPatterns(const LoweringContext &context,
                                      const RegisterTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns
      .add<SmemStoreLowering, FillLowering, ReadLowering, SmemAtomicLowering>(
          converter, context);
}
