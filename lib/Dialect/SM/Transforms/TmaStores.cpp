//===- TmaStores.cpp - Accumulators leave by tensor copies ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// The pass sm-tma-stores.
//
//===----------------------------------------------------------------------===//

#include "TmaFetch.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Layout/RegisterTile.h"
#include "tessera/Target/GpuTarget.h"

namespace tessera::sm {
#define GEN_PASS_DEF_TMASTORESPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// One buffer is written while a copy reads the other one.
constexpr int64_t kBuffers = 2;

/// The widest chunk, in columns: rows of a whole swizzle span if possible.
static int64_t getChunkColumns(RankedTensorType tile) {
  for (int64_t columns : {64, 32})
    if (tile.getDimSize(1) % columns == 0)
      return columns;
  return 16;
}

static bool isAccumulator(StoreOp op, RankedTensorType tile) {
  int64_t perGroup = getDefaultGpuTarget().warpsPerWarpgroup;
  int64_t warps = getWarps(op);
  if (tile.getRank() != 2 || warps % perGroup != 0 ||
      tile.getDimSize(1) % 16 != 0)
    return false;
  llvm::Expected<layout::Layout> accumulator = layout::getAccumulator(
      tile.getDimSize(0), tile.getDimSize(1), warps / perGroup);
  if (accumulator)
    return *accumulator == getLayout(tile);
  llvm::consumeError(accumulator.takeError());
  return false;
}

/// The condition of a launch, or why `op` stays as it is; no reason for what
/// is no accumulator at all.
static FailureOr<tile::SizeAttr> match(StoreOp op, std::string &why) {
  auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
  tile::GlobalType global = op.getGlobalType();
  if (!tile || !isAccumulator(op, tile))
    return failure();
  auto refuse = [&](StringRef reason) {
    why = reason.str();
    return failure();
  };
  if (tile.getElementTypeBitWidth() != 16)
    return refuse("its elements do not have 16 bits");
  if (global.getAccess() != tile::Access::Out)
    return refuse("the kernel may read the tensor that it writes");
  if (op.getMask() && !isBoundsCheck(op.getMask(), op.getIndices(), global))
    return refuse("it is masked by more than the bounds of the tensor");
  if (op.getDims().back() != global.getRank() - 1)
    return refuse("the last dimension of the tile is not that of the tensor");
  for (auto [axis, dim] : llvm::enumerate(op.getDims())) {
    if (isa<RankedTensorType>(op.getIndices()[dim].getType()))
      return refuse("it scatters");
    if (!op.isInBounds(axis) &&
        !isSize(op.getLimits()[axis], global.getShape()[dim]))
      return refuse("it ends before the tensor does");
  }
  return getTmaCondition(global, why);
}

namespace {
struct TmaStores : sm::impl::TmaStoresPassBase<TmaStores> {
  using TmaStoresPassBase::TmaStoresPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Planned)
      return;
    SmallVector<tile::SizeAttr> conditions;
    kernel.walk([&](StoreOp op) {
      std::string why;
      FailureOr<tile::SizeAttr> condition = match(op, why);
      if (failed(condition)) {
        if (remarks && !why.empty())
          op.emitRemark() << "this store is no tensor copy: " << why;
        return;
      }
      conditions.push_back(*condition);
      auto tile = cast<RankedTensorType>(op.getValue().getType());
      int64_t columns = getChunkColumns(tile);
      OpBuilder builder(op);
      TmaStoreOp::create(builder, op.getLoc(), op.getValue(), op.getGlobal(),
                         op.getIndices(), op.getLimits(), /*mask=*/Value(),
                         op.getDimsAttr(), op.getInBoundsAttr(),
                         builder.getI64IntegerAttr(columns),
                         builder.getI64IntegerAttr(
                             std::min(kBuffers, tile.getDimSize(1) / columns)),
                         /*add=*/UnitAttr());
      op.erase();
      ++numStores;
    });
    addConditions(kernel, conditions);
  }
};
} // namespace
