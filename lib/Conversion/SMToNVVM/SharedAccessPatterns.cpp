//===- SharedAccessPatterns.cpp - Registers and shared memory ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles between registers and shared memory: by stmatrix and ldmatrix where the
// fragments of products meet rows of 16-bit elements, else by the widest
// vectors that registers allow.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "SharedValues.h"
#include "ThreadNumbers.h"
#include "tessera/Layout/InverseMap.h"
#include "tessera/Layout/SharedAccess.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;
using layout::kLane;
using layout::kRegister;
using layout::kWarp;

namespace {
/// How a tile in registers and one in shared memory meet.
struct AccessPlan {
  AccessPlan(RankedTensorType tile, SmemType shared);

  /// The addresses of the accesses that a thread makes.
  SmallVector<Value> emitAddresses(OpBuilder &builder, Location loc,
                                   const ThreadGroup &threads,
                                   Value base) const;

  RankedTensorType tile;
  SmemType shared;
  /// Matrices by stmatrix and ldmatrix, if they pay.
  std::optional<layout::MatrixAccess> matrices;
  /// Else elements to an access.
  int64_t width = 1;
};
} // namespace

AccessPlan::AccessPlan(RankedTensorType tile, SmemType shared)
    : tile(tile), shared(shared) {
  const layout::Layout &registers = getLayout(tile);
  layout::Layout offsets = shared.getLayout();
  int64_t bytes = shared.getElementBytes();
  // Cannot fail: the shapes are equal, and every element has a place.
  width = llvm::cantFail(layout::getAccessWidth(registers, offsets, bytes));
  if (width * bytes >= 16 || !isPacked(tile))
    return;
  for (bool transposed : {false, true}) {
    auto access =
        layout::getMatrixAccess(registers, offsets, bytes, transposed);
    if (access) {
      matrices = std::move(*access);
      return;
    }
    llvm::consumeError(access.takeError());
  }
}

SmallVector<Value> AccessPlan::emitAddresses(OpBuilder &builder, Location loc,
                                             const ThreadGroup &threads,
                                             Value base) const {
  const layout::Layout &registers = getLayout(tile);
  int64_t bytes = shared.getElementBytes(), warps = threads.warps;
  if (matrices) {
    ThreadNumbers numbers(warps, matrices->instructions);
    for (int64_t i = 0; i < matrices->instructions; ++i)
      for (int64_t warp = 0; warp < warps; ++warp) {
        ArrayRef<int64_t> rows = matrices->getRows(warp, i);
        // Lanes beyond the rows are not asked; any address will do.
        for (int64_t lane = 0; lane < 32; ++lane)
          numbers.at(warp, lane, i) = rows[lane % rows.size()] * bytes;
      }
    return numbers.emit(builder, loc, threads, base);
  }
  int64_t accesses = getNumRegisters(tile) / width;
  ThreadNumbers numbers(warps, accesses);
  layout::InverseMap places(shared.getLayout());
  for (int64_t i = 0; i < accesses; ++i)
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane) {
        layout::Point place = places.getPlace(registers.evaluate(
            {{kRegister, i * width}, {kLane, lane}, {kWarp, warp}}));
        // A tile of one element has no axis of offsets.
        numbers.at(warp, lane, i) = place.empty() ? 0 : place.front() * bytes;
      }
  return numbers.emit(builder, loc, threads, base);
}

//===----------------------------------------------------------------------===//
// stmatrix and ldmatrix
//===----------------------------------------------------------------------===//

static NVVM::MMALayout getMatrixLayout(const layout::MatrixAccess &access) {
  return access.isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

static void emitMatrixStores(OpBuilder &builder, Location loc,
                             const layout::MatrixAccess &access,
                             ArrayRef<Value> addresses, ValueRange pairs) {
  MLIRContext *context = builder.getContext();
  for (auto [i, address] : llvm::enumerate(addresses)) {
    SmallVector<Value> sources;
    for (int64_t m = 0; m < access.matrices; ++m)
      sources.push_back(LLVM::BitcastOp::create(
          builder, loc, builder.getI32Type(), pairs[i * access.matrices + m]));
    NVVM::StMatrixOp::create(
        builder, loc, emitSharedPointer(builder, loc, address), sources,
        NVVM::MMALayoutAttr::get(context, getMatrixLayout(access)),
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltTypeAttr::get(context,
                                         NVVM::LdStMatrixEltType::B16));
  }
}

static SmallVector<Value> emitMatrixLoads(OpBuilder &builder, Location loc,
                                          const layout::MatrixAccess &access,
                                          Type pair,
                                          ArrayRef<Value> addresses) {
  MLIRContext *context = builder.getContext();
  Type i32 = builder.getI32Type();
  Type type = i32;
  if (access.matrices > 1)
    type = LLVM::LLVMStructType::getLiteral(
        context, SmallVector<Type>(access.matrices, i32));
  SmallVector<Value> pairs;
  for (Value address : addresses) {
    Value loaded = NVVM::LdMatrixOp::create(
        builder, loc, type, emitSharedPointer(builder, loc, address),
        static_cast<uint32_t>(access.matrices), getMatrixLayout(access),
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltType::B16);
    for (int64_t m = 0; m < access.matrices; ++m) {
      Value word = loaded;
      if (access.matrices > 1)
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
struct ScratchLowering : KernelPattern<ScratchOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ScratchOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value base = emitAllocatedAddress(rewriter, context, op, op.getAddress());
    if (!base)
      return failure();
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct StageLowering : KernelPattern<StageOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(StageOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = emitAllocatedAddress(rewriter, context, op, op.getAddress());
    if (!base)
      return failure();
    RankedTensorType tile = op.getSource().getType();
    AccessPlan plan(tile, op.getType());
    SmallVector<Value> addresses =
        plan.emitAddresses(rewriter, loc, context.getThreads(op), base);
    emitRoleBarrier(rewriter, context, op);
    if (plan.matrices) {
      emitMatrixStores(rewriter, loc, *plan.matrices, addresses,
                       adaptor.getSource());
    } else {
      SmallVector<Value> elements =
          unpackRegisters(rewriter, loc, tile, adaptor.getSource());
      for (auto [i, address] : llvm::enumerate(addresses))
        emitSharedStore(rewriter, loc, address,
                        ArrayRef(elements).slice(i * plan.width, plan.width));
    }
    emitProxyFence(rewriter, loc);
    emitRoleBarrier(rewriter, context, op);
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct ReadLowering : KernelPattern<ReadOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ReadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType tile = op.getType();
    AccessPlan plan(tile, op.getSource().getType());
    SmallVector<Value> addresses = plan.emitAddresses(
        rewriter, loc, context.getThreads(op), adaptor.getSource().front());
    if (plan.matrices) {
      Type pair = VectorType::get(2, tile.getElementType());
      SmallVector<Value> pairs =
          emitMatrixLoads(rewriter, loc, *plan.matrices, pair, addresses);
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
} // namespace

void sm::populateSharedAccessPatterns(const LoweringContext &context,
                                      const RegisterTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ScratchLowering, StageLowering, ReadLowering>(converter,
                                                             context);
}
