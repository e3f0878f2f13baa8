//===- TensorCopies.cpp - Copies by TMA -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "PTXText.h"
#include "tessera/Layout/TmaBoxes.h"
#include "tessera/Target/GpuTarget.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// The tensor map
//===----------------------------------------------------------------------===//

/// The boxes of a copy; refused where TMA cannot do it.
template <typename OpTy>
static llvm::Expected<layout::TmaBoxes> getBoxes(OpTy op, SmemType tile) {
  tile::GlobalType global = op.getGlobalType();
  int64_t rank = global.getRank();
  int64_t maxRank = getDefaultGpuTarget().tmaMaxRank;
  if (rank > maxRank)
    return llvm::createStringError("TMA copies from tensors of at most " +
                                   llvm::Twine(maxRank) +
                                   " dimensions, not of " + llvm::Twine(rank));
  if (op.getDims().empty() || op.getDims().back() != rank - 1)
    return llvm::createStringError(
        "TMA copies rows of the last dimension, which the tile does not walk");
  return layout::getTmaBoxes(tile.getLayout(), tile.getElementBytes());
}

/// The same, with a diagnostic.
template <typename OpTy>
static FailureOr<layout::TmaBoxes> requireBoxes(OpTy op, SmemType tile) {
  llvm::Expected<layout::TmaBoxes> boxes = getBoxes(op, tile);
  if (!boxes)
    return op.emitOpError()
           << "cannot be copied by TMA: " << llvm::toString(boxes.takeError());
  return std::move(*boxes);
}

LogicalResult sm::verifyTensorCopy(TmaStoreOp op) {
  return requireBoxes(op, op.getBufferType());
}

template <typename OpTy>
static std::optional<rt::TensorMapRecipe> getRecipe(OpTy op, SmemType tile) {
  llvm::Expected<layout::TmaBoxes> boxes = getBoxes(op, tile);
  if (!boxes) {
    // The lowering says so.
    llvm::consumeError(boxes.takeError());
    return std::nullopt;
  }
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
  if (auto load = dyn_cast<TmaLoadOp>(op))
    return getRecipe(load, load.getTile().getType());
  if (auto put = dyn_cast<PutOp>(op))
    return getRecipe(put, put.getValue().getType());
  if (auto store = dyn_cast<TmaStoreOp>(op))
    return getRecipe(store, store.getBufferType());
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
  FailureOr<layout::TmaBoxes> boxes = requireBoxes(op, tile);
  if (failed(boxes))
    return failure();
  // In the function, a tensor is no longer an argument, so its number is the
  // context's to say.
  rt::TensorMapRecipe recipe = *getRecipe(op, tile);
  recipe.parameter = context.getParameter(op.getGlobal());
  Value map =
      context.getTensorMap(*context.getSignature().findTensorMap(recipe));
  ArrayRef<int64_t> dims = op.getDims();
  SmallVector<Value> starts;
  for (ValueRange index : adaptor.getIndices())
    starts.push_back(emitToI32(builder, loc, index.front()));
  for (const layout::TmaBoxes::Box &box : boxes->boxes) {
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
              emitTensorLoad(rewriter, loc, address, map, coordinates, barrier);
            })))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct PutLowering : KernelPattern<PutOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(PutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // All have written their part, and TMA sees it.
    emitProxyFence(rewriter, loc);
    emitRoleBarrier(rewriter, context, op);
    auto branch =
        scf::IfOp::create(rewriter, loc, emitIsElected(rewriter, context, op),
                          /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    if (failed(forEachBox(
            inner, context, op, adaptor, op.getValue().getType(),
            adaptor.getValue().front(),
            [&](Value map, Value address, ArrayRef<Value> coordinates) {
              emitTensorStore(inner, loc, map, address, coordinates);
            })))
      return failure();
    NVVM::CpAsyncBulkCommitGroupOp::create(inner, loc);
    // It is enough that the tile was read; the end of the kernel waits for the
    // rest.
    NVVM::CpAsyncBulkWaitGroupOp::create(inner, loc, 0u, inner.getUnitAttr());
    emitRoleBarrier(rewriter, context, op);
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
