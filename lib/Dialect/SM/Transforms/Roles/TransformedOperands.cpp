//===- TransformedOperands.cpp - Operands that a role computes --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformedOperands.h"
#include "ComputedRings.h"
#include "GatheredLoads.h"

#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/RegisterTile.h"

#include <numeric>

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Bytes that a thread reads at a time where rows allow it.
static constexpr int64_t kVectorBytes = 16;

static bool isConstant(Operation *op) {
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

static RankedTensorType getTile(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

SmallVector<SmemLoadOp> TransformedOperand::getReads() const {
  SmallVector<SmemLoadOp> reads;
  for (auto [op, layout] : layouts)
    if (auto read = dyn_cast<SmemLoadOp>(op))
      reads.push_back(read);
  return reads;
}

/// Returns the layout that the operands of `op` have where its result has
/// `layout`; null if they cannot have one.
static Attribute getSourceLayout(Operation *op, Attribute layout) {
  auto make = [&](llvm::Expected<Layout> source) -> Attribute {
    if (source)
      return LayoutAttr::get(op->getContext(), *source);
    llvm::consumeError(source.takeError());
    return {};
  };
  const Layout &result = cast<LayoutAttr>(layout).getLayout();
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return make(layout::sliceDim(result, expand.getAxis()));
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return make(
        getBroadcastSource(result, broadcast.getSource().getType().getShape()));
  return layout;
}

Attribute TransformedOperand::getOperandLayout(Operation *op) const {
  return isa<SmemStoreOp>(op) ? layout
                              : getSourceLayout(op, layouts.lookup(op));
}

bool TransformedOperand::disagrees(const TransformedOperand &other) const {
  return llvm::any_of(layouts, [&](const auto &entry) {
    Attribute before = other.layouts.lookup(entry.first);
    return before && before != entry.second;
  });
}

/// Checks whether `op` computes each element from those at its place, in any
/// layout, or loads what nobody writes.
static bool isInSlice(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getGlobalType().isWritable() &&
           !getGathered(load.getIndices());
  return isa<ConvertOp, ExpandDimsOp, BroadcastOp>(op) ||
         isElementByElement(op);
}

/// Returns the type of the tile that `op` brings to threads; null if none.
static RankedTensorType getBrought(Operation *op) {
  return isa<SmemLoadOp, LoadOp>(op) ? getTile(op->getResult(0))
                                     : RankedTensorType();
}

/// Adds the backward slice of `tile` in `block` to `ops`, without constants.
static Reason addSlice(Value tile, Block *block,
                       llvm::SetVector<Operation *> &ops) {
  Operation *op = tile.getDefiningOp();
  if (isConstant(op) || ops.contains(op))
    return Reason::none();
  if (!op || op->getBlock() != block)
    return "it is computed from what other iterations leave";
  if (isa<SmemLoadOp>(op)) {
    ops.insert(op);
    return Reason::none();
  }
  if (!isInSlice(op))
    return "it is not computed element by element from what arrives";
  for (Value operand : op->getOperands())
    if (getTile(operand))
      if (Reason reason = addSlice(operand, block, ops))
        return reason;
  ops.insert(op);
  return Reason::none();
}

/// Returns the layout of a tile of the type of `smemStore` whose narrowest part
/// has elements of `bytes`.
static llvm::Expected<Layout> getWideLayout(SmemStoreOp smemStore,
                                            int64_t bytes, int64_t warps) {
  ArrayRef<int64_t> shape = smemStore.getSource().getType().getShape();
  return layout::getBlocked(shape, std::gcd(kVectorBytes / bytes, shape.back()),
                            warps);
}

/// Gives each op of `ops`, which compute what `smemStore` writes, a layout.
static Reason assignLayouts(SmemStoreOp smemStore, ArrayRef<Operation *> ops,
                            TransformedOperand &tile) {
  llvm::DenseMap<Operation *, Attribute> wanted;
  auto want = [&](Operation *user, Attribute layout) -> Reason {
    for (Value operand : user->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (!getTile(operand) || isConstant(op))
        continue;
      if (layout && wanted.try_emplace(op, layout).first->second == layout)
        continue;
      return "its warps would have to exchange elements";
    }
    return Reason::none();
  };
  if (Reason reason = want(smemStore, tile.layout))
    return reason;
  for (Operation *op : llvm::reverse(ops))
    if (!getBrought(op))
      if (Reason reason = want(op, getSourceLayout(op, wanted.lookup(op))))
        return reason;
  for (Operation *op : ops)
    tile.layouts[op] = wanted.lookup(op);
  return Reason::none();
}

OrReason<RingWaitOp> sm::findWait(SmemLoadOp read) {
  auto tile = read.getSource().getDefiningOp<SlotTileOp>();
  auto wait = tile ? tile.getSlot().getDefiningOp<RingWaitOp>() : RingWaitOp();
  if (!wait || wait->getBlock() != read->getBlock())
    return "it reads what does not arrive through a ring, in its block";
  if (!wait.getRing().getDefiningOp<RingAllocOp>().getWarps())
    return "the ring that it reads is not released per warp";
  return wait;
}

OrReason<TransformedOperand> sm::matchTransformedOperand(SmemStoreOp smemStore,
                                                         int64_t warps) {
  llvm::SetVector<Operation *> slice;
  if (Reason reason =
          addSlice(smemStore.getSource(), smemStore->getBlock(), slice))
    return reason;
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  int64_t bytes = kVectorBytes;
  for (Operation *op : ops)
    if (RankedTensorType brought = getBrought(op))
      bytes = std::min(bytes, getElementBytes(brought.getElementType()));
  if (llvm::none_of(ops, getBrought))
    return "it is computed from nothing that arrives";
  TransformedOperand tile;
  llvm::Expected<Layout> layout = getWideLayout(smemStore, bytes, warps);
  if (!layout)
    return llvm::toString(layout.takeError());
  tile.layout = LayoutAttr::get(smemStore.getContext(), *layout);
  if (Reason reason = assignLayouts(smemStore, ops, tile))
    return reason;
  return tile;
}

Reason sm::addWithScalars(RoleSlice &slice, Operation *op) {
  auto scalars = llvm::make_filter_range(op->getOperands(), [](Value value) {
    return value.getType().isIntOrIndexOrFloat();
  });
  if (slice.add(op, llvm::to_vector(scalars)))
    return "a scalar that it takes, or whether it is computed, depends on a "
           "tile or on memory";
  return Reason::none();
}
