//===- TensorCopies.cpp - Copies by TMA -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers tensor copies to TMA instructions, one for each box. In a cluster,
// each CTA copies a part of the tile to all CTAs (multicast). Invariant: the
// parts of all CTAs cover the tile exactly once.
//
//===----------------------------------------------------------------------===//

#include "Kernel/InlinePTX.h"
#include "Kernel/Machine.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/TmaBoxes.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// The tensor map
//===----------------------------------------------------------------------===//

/// Returns the boxes of a copy, or an error if TMA cannot copy them.
template <typename OpTy>
static llvm::Expected<layout::TmaBoxes> getBoxes(OpTy op, SmemType tile) {
  tile::GlobalType global = op.getGlobalType();
  int64_t rank = global.getRank();
  int64_t maxRank = getTarget(op).tmaMaxRank;
  if (rank > maxRank)
    return llvm::createStringError("TMA copies from tensors of at most " +
                                   llvm::Twine(maxRank) +
                                   " dimensions, not of " + llvm::Twine(rank));
  if (op.getDims().empty() || op.getDims().back() != rank - 1)
    return llvm::createStringError(
        "TMA copies rows of the last dimension, which the tile does not walk");
  return layout::getTmaBoxes(tile.getLayout(), tile.getElementBytes());
}

/// Returns the number of parts into which the CTAs of a cluster divide a copy.
static int64_t getParts(TmaLoadOp op, int64_t clusterSize) {
  return op.getMulticast() ? clusterSize : 1;
}
template <typename OpTy>
static int64_t getParts(OpTy, int64_t) {
  return 1;
}

/// Returns the part that the CTA of rank 0 copies, and the distance of the
/// parts of other ranks.
template <typename OpTy>
static llvm::Expected<layout::TmaParts> getParts(OpTy op, SmemType tile,
                                                 int64_t clusterSize) {
  llvm::Expected<layout::TmaBoxes> boxes = getBoxes(op, tile);
  if (!boxes)
    return boxes.takeError();
  return layout::getTmaParts(*boxes, tile.getElementBytes(),
                             getParts(op, clusterSize));
}

/// Returns the same, with a diagnostic.
template <typename OpTy>
static FailureOr<layout::TmaParts> requireParts(OpTy op, SmemType tile,
                                                int64_t clusterSize) {
  llvm::Expected<layout::TmaParts> parts = getParts(op, tile, clusterSize);
  if (!parts)
    return op.emitOpError()
           << "cannot be copied by TMA: " << llvm::toString(parts.takeError());
  return std::move(*parts);
}

LogicalResult sm::verifyTensorCopy(TmaStoreOp op) {
  return requireParts(op, op.getBufferType(), /*clusterSize=*/1);
}

template <typename OpTy>
static std::optional<rt::TensorMapRecipe> getRecipe(OpTy op, SmemType tile,
                                                    int64_t clusterSize) {
  llvm::Expected<layout::TmaParts> parts = getParts(op, tile, clusterSize);
  if (!parts) {
    // The lowering reports the error.
    llvm::consumeError(parts.takeError());
    return std::nullopt;
  }
  const layout::TmaBoxes *boxes = &parts->first;
  rt::TensorMapRecipe recipe;
  if (auto parameter = dyn_cast<BlockArgument>(op.getGlobal()))
    recipe.parameter = parameter.getArgNumber();
  int64_t rank = op.getGlobalType().getRank();
  ArrayRef<int64_t> dims = op.getDims();
  for (int64_t dim = rank; dim-- > 0;) {
    const auto *walked = llvm::find(dims, dim);
    recipe.order.push_back(dim);
    recipe.box.push_back(
        walked == dims.end() ? 1 : boxes->extents[walked - dims.begin()]);
  }
  switch (boxes->swizzle) {
  case layout::Swizzle::None:
    recipe.swizzle = rt::TensorMapRecipe::Swizzle::None;
    break;
  case layout::Swizzle::B32:
    recipe.swizzle = rt::TensorMapRecipe::Swizzle::B32;
    break;
  case layout::Swizzle::B64:
    recipe.swizzle = rt::TensorMapRecipe::Swizzle::B64;
    break;
  case layout::Swizzle::B128:
    recipe.swizzle = rt::TensorMapRecipe::Swizzle::B128;
    break;
  }
  return recipe;
}

std::optional<rt::TensorMapRecipe> sm::getTensorMapRecipe(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  int64_t clusterSize = kernel ? kernel.getClusterSize() : 1;
  if (auto load = dyn_cast<TmaLoadOp>(op))
    return getRecipe(load, load.getTile().getType(), clusterSize);
  if (auto put = dyn_cast<CopyStoreOp>(op))
    return getRecipe(put, put.getValue().getType(), clusterSize);
  if (auto store = dyn_cast<TmaStoreOp>(op))
    return getRecipe(store, store.getBufferType(), clusterSize);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The copies
//===----------------------------------------------------------------------===//

/// Calls `emit` with the address and the coordinates, the innermost first, of
/// each box of the copy `op`.
template <typename OpTy, typename Adaptor>
static LogicalResult
forEachBox(OpBuilder &builder, const LoweringContext &context, OpTy op,
           Adaptor adaptor, SmemType tile, Value base,
           llvm::function_ref<void(Value, Value, ArrayRef<Value>)> emit) {
  Location loc = op.getLoc();
  int64_t clusterSize = context.getClusterSize();
  FailureOr<layout::TmaParts> parts = requireParts(op, tile, clusterSize);
  if (failed(parts))
    return failure();
  // In the function, a tensor is no longer an argument, so the context provides
  // its number.
  rt::TensorMapRecipe recipe = *getRecipe(op, tile, clusterSize);
  recipe.parameter = context.getParameter(op.getGlobal());
  Value map =
      context.getTensorMap(*context.getSignature().findTensorMap(recipe));
  ArrayRef<int64_t> dims = op.getDims();
  SmallVector<Value> starts;
  for (ValueRange index : adaptor.getIndices())
    starts.push_back(emitToI32(builder, loc, index.front()));
  if (getParts(op, clusterSize) > 1) {
    Value rank =
        NVVM::BlockInClusterIdXOp::create(builder, loc, builder.getI32Type());
    auto move = [&](Value by, int64_t step) -> Value {
      if (step == 0)
        return by;
      Value offset =
          LLVM::MulOp::create(builder, loc, rank, emitI32(builder, loc, step));
      return LLVM::AddOp::create(builder, loc, by, offset);
    };
    base = move(base, parts->byteStep);
    for (auto [dim, step] : llvm::zip_equal(dims, parts->step))
      starts[dim] = move(starts[dim], step);
  }
  for (const layout::TmaBoxes::Box &box : parts->first.boxes) {
    SmallVector<Value> coordinates;
    for (int64_t dim = starts.size(); dim-- > 0;) {
      const auto *walked = llvm::find(dims, dim);
      int64_t offset =
          walked == dims.end() ? 0 : box.origin[walked - dims.begin()];
      Value start = starts[dim];
      coordinates.push_back(
          offset ? LLVM::AddOp::create(builder, loc, start,
                                       emitI32(builder, loc, offset))
                       .getResult()
                 : start);
    }
    Value address = base;
    if (box.byte)
      address = LLVM::AddOp::create(builder, loc, base,
                                    emitI32(builder, loc, box.byte));
    emit(map, address, coordinates);
  }
  return success();
}

namespace {
struct TmaLoadLowering : KernelPattern<TmaLoadOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(TmaLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier =
        emitBarrierAddress(rewriter, loc, adaptor.getBarrier().front(),
                           adaptor.getIndex().front());
    if (failed(forEachBox(
            rewriter, context, op, adaptor, op.getTile().getType(),
            adaptor.getTile().front(),
            [&](Value map, Value address, ArrayRef<Value> coordinates) {
              if (op.getMulticast())
                emitTensorMulticast(rewriter, loc, address, map, coordinates,
                                    barrier, context.getClusterSize());
              else
                emitTensorLoad(rewriter, loc, address, map, coordinates,
                               barrier);
            })))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct PutLowering : KernelPattern<CopyStoreOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(CopyStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto branch =
        scf::IfOp::create(rewriter, loc, emitIsElected(rewriter, context, op),
                          /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    if (failed(forEachBox(
            inner, context, op, adaptor, op.getValue().getType(),
            adaptor.getValue().front(),
            [&](Value map, Value address, ArrayRef<Value> coordinates) {
              auto emitCopy = op.getAdd() ? emitTensorAdd : emitTensorStore;
              emitCopy(inner, loc, map, address, coordinates);
            })))
      return failure();
    NVVM::CpAsyncBulkCommitGroupOp::create(inner, loc);
    // The wait is for reads of the tile. The end of the kernel waits for the
    // rest.
    NVVM::CpAsyncBulkWaitGroupOp::create(inner, loc, 0u, inner.getUnitAttr());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void sm::emitProxyFence(OpBuilder &builder, Location loc) {
  NVVM::FenceProxyOp::create(
      builder, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

void sm::populateTensorCopyPatterns(const LoweringContext &context,
                                    const RegisterTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<TmaLoadLowering, PutLowering>(converter, context);
}
