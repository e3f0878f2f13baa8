//===- SMMemoryOps.cpp - Global and shared memory ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRules.h"

#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/RegisterTile.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// The rules of accesses
//===----------------------------------------------------------------------===//

namespace {
/// The facts about the moved tile or scalar that the rules need.
struct Moved {
  ArrayRef<int64_t> shape;
  Type element;
};
} // namespace

static Moved getMoved(Type type) {
  if (auto smem = dyn_cast<SmemType>(type))
    return {smem.getShape(), smem.getElementType()};
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return {tensor.getShape(), tensor.getElementType()};
  return {{}, type};
}

SmallVector<tile::IndexAxes>
sm::getIndexAxes(ValueRange indices, ArrayRef<int64_t> dims,
                 std::optional<ArrayRef<int64_t>> given) {
  SmallVector<tile::IndexAxes> axes;
  int64_t next = 0;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    auto gather = dyn_cast<RankedTensorType>(indices[dim].getType());
    tile::IndexAxes own{given ? (*given)[i] : next,
                        gather ? gather.getRank() : 1};
    next = std::max(next, own.first + own.rank);
    axes.push_back(own);
  }
  return axes;
}

/// Checks that the axes of indices are those of a tile of `type`, in order.
/// Only gathers share axes.
template <typename OpTy>
static LogicalResult verifyAxes(OpTy op, Type type, const Moved &moved) {
  ArrayRef<int64_t> dims = op.getDims();
  if (auto given = op.getGivenAxes(); given && given->size() != dims.size())
    return op.emitOpError()
           << "expected " << dims.size()
           << " axes, one for each of 'dims', got " << given->size();
  int64_t next = 0;
  llvm::SmallDenseMap<int64_t, int64_t> pairable;
  for (auto [dim, axes] : llvm::zip_equal(dims, op.getIndexAxes())) {
    bool isGather = isa<RankedTensorType>(op.getIndices()[dim].getType());
    if (axes.first != next &&
        !(isGather && pairable.lookup(axes.first) == axes.rank))
      return op.emitOpError()
             << "expected the axes of index " << dim << " to begin at " << next
             << ", or to be those of another gather, got " << axes.first;
    if (isGather)
      pairable[axes.first] = axes.rank;
    next = std::max(next, axes.first + axes.rank);
  }
  if (next == static_cast<int64_t>(moved.shape.size()) &&
      moved.element == op.getGlobalType().getElementType())
    return success();
  return op.emitOpError() << "expected a tile of rank " << next << " of "
                          << op.getGlobalType().getElementType() << ", got "
                          << type;
}

/// C1 to C3. `moved` is the type of what is moved.
template <typename OpTy>
static LogicalResult verifyAccess(OpTy op, Type moved, bool writes,
                                  bool allowsGather) {
  auto argument = dyn_cast<BlockArgument>(op.getGlobal());
  if (!argument || !isa<KernelOp>(argument.getOwner()->getParentOp()))
    return op.emitOpError() << "expected the global tensor to be a parameter "
                               "of the kernel";
  tile::GlobalType global = op.getGlobalType();
  if (writes ? !global.isWritable() : !global.isReadable())
    return op.emitOpError()
           << (writes ? "writes an 'in' tensor" : "reads an 'out' tensor");
  int64_t rank = global.getRank();
  if (static_cast<int64_t>(op.getIndices().size()) != rank)
    return op.emitOpError()
           << "expected " << rank << " indices, one per dimension, got "
           << op.getIndices().size();
  ArrayRef<int64_t> dims = op.getDims();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= rank || (i > 0 && dim <= dims[i - 1]))
      return op.emitOpError() << "expected rising dimensions from 0 to "
                              << rank - 1 << " in 'dims'";
  if (op.getLimits().size() != dims.size())
    return op.emitOpError()
           << "expected " << dims.size()
           << " limits, one for each of 'dims', got " << op.getLimits().size();
  if (auto flags = op.getInBounds(); flags && flags->size() != dims.size())
    return op.emitOpError()
           << "expected " << dims.size()
           << " in_bounds flags, one for each of 'dims', got " << flags->size();
  Moved tile = getMoved(moved);
  if (failed(verifyAxes(op, moved, tile)))
    return failure();
  SmallVector<tile::IndexAxes> axes = op.getIndexAxes();
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    auto gather = dyn_cast<RankedTensorType>(index.getType());
    if (!gather)
      continue;
    const auto *walked = llvm::find(dims, static_cast<int64_t>(dim));
    if (!allowsGather || walked == dims.end() ||
        !gather.getElementType().isInteger(32) ||
        gather.getShape() != tile.shape.slice(axes[walked - dims.begin()].first,
                                              gather.getRank()))
      return op.emitOpError()
             << "cannot gather by index " << dim << ", " << gather;
  }
  return success();
}

template <typename OpTy>
static LogicalResult verifyUnmasked(OpTy op) {
  if (op.getMask())
    return op.emitOpError() << "cannot be masked";
  return success();
}

/// The fill has the element type, if there is one.
template <typename OpTy>
static LogicalResult verifyFill(OpTy op) {
  TypedAttr fill = op.getFillAttr();
  Type element = op.getGlobalType().getElementType();
  if (!fill || fill.getType() == element)
    return success();
  return op.emitOpError() << "expected fill to be " << element << ", got "
                          << fill.getType();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this, getType(), /*writes=*/false,
                          /*allowsGather=*/true)))
    return failure();
  return verifyFill(*this);
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getValue().getType(), /*writes=*/true,
                      /*allowsGather=*/true);
}

LogicalResult AtomicOp::verify() {
  if (getGlobalType().getAccess() != tile::Access::InOut)
    return emitOpError() << "expected an 'inout' tensor, got "
                         << getGlobalType();
  if (failed(tile::verifyAtomicElement(*this, getKind(),
                                       getGlobalType().getElementType())) ||
      failed(verifyAccess(*this, getValue().getType(), /*writes=*/true,
                          /*allowsGather=*/true)))
    return failure();
  if ((getKind() == tile::AtomicKind::Cas) != bool(getExpected()))
    return emitOpError()
           << "expected an operand after 'if' for 'cas', and none for others";
  for (Value other : {getExpected(), Value(getOld())})
    if (other && other.getType() != getValue().getType())
      return emitOpError() << "expected values of " << getValue().getType()
                           << ", got " << other.getType();
  return tile::verifyAtomicOrder(*this, getOrder(), bool(getOld()));
}

LogicalResult FetchOp::verify() {
  return verifyAccess(*this, getType(), /*writes=*/false,
                      /*allowsGather=*/false);
}

static LogicalResult verifyNotElected(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  if (!role || !role.getElected())
    return success();
  return op->emitOpError() << "cannot be in an elected role: all threads of a "
                              "role execute it";
}

LogicalResult FetchStartOp::verify() {
  SmemType tile = getTile().getType();
  if (failed(verifyNotElected(*this)) ||
      failed(verifyAccess(*this, tile, /*writes=*/false,
                          /*allowsGather=*/true)))
    return failure();
  // C5
  bool isGathered = false;
  for (auto [dim, index] : llvm::enumerate(getIndices())) {
    auto gather = dyn_cast<RankedTensorType>(index.getType());
    if (!gather)
      continue;
    isGathered = true;
    if (tile.getRank() > 2 || gather.getRank() > 1 ||
        static_cast<int64_t>(dim) != getDims().front())
      return emitOpError() << "expected to gather along the first dimension "
                              "of a tile of rank 1 or 2, got index "
                           << dim << " for " << Type(tile);
    llvm::Expected<layout::Layout> layout = getPositionLayout(
        tile.getShape(), tile.getElementBytes(), sm::getWarps(*this));
    if (!layout)
      return emitOpError() << "cannot gather to " << Type(tile) << ": "
                           << llvm::toString(layout.takeError());
    if (isRegisterTile(gather) && getLayout(gather) != *layout)
      return emitOpError() << "expected positions where threads use them, \""
                           << layout->str() << "\", got " << gather;
  }
  // C6
  if (getFill() && (tile.getRank() != 1 || isGathered))
    return emitOpError() << "expected a fill only for a tile of rank 1 that is "
                            "not gathered, got "
                         << Type(tile);
  return verifyFill(*this);
}

LogicalResult FetchAwaitOp::verify() {
  if (int64_t leave = getLeave(); leave < 0)
    return emitOpError() << "expected a count from 0 on, got " << leave;
  return verifyNotElected(*this);
}

/// Checks that a tensor copy can add to the tensor that `op` writes.
template <typename OpTy>
static LogicalResult verifyTensorAdd(OpTy op) {
  tile::GlobalType global = op.getGlobalType();
  if (global.getAccess() == tile::Access::InOut &&
      isa<Float32Type, Float16Type, BFloat16Type>(global.getElementType()))
    return success();
  return op.emitOpError() << "with 'add', expected an 'inout' tensor of f32, "
                             "f16 or bf16, got "
                          << global;
}

LogicalResult CopyStoreOp::verify() {
  // C4
  if (failed(verifyUnmasked(*this)) ||
      (getAdd() && failed(verifyTensorAdd(*this))))
    return failure();
  return verifyAccess(*this, getValue().getType(), /*writes=*/true,
                      /*allowsGather=*/false);
}

LogicalResult CopyStartOp::verify() {
  if (failed(verifyUnmasked(*this)))
    return failure();
  // C4
  auto tile = getTile().getDefiningOp<SlotTileOp>();
  if (!tile || tile.getSlot().getDefiningOp<RingWaitOp>())
    return emitOpError() << "expected the tile of a slot that was acquired";
  // C5
  if (getMulticast() && failed(verifyInCluster(*this)))
    return failure();
  return verifyAccess(*this, getTile().getType(), /*writes=*/false,
                      /*allowsGather=*/false);
}

LogicalResult TmaLoadOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getElected())
    return emitOpError() << "expected to be in an elected role";
  if (failed(verifyUnmasked(*this)) ||
      (getMulticast() && failed(verifyInCluster(*this))))
    return failure();
  return verifyAccess(*this, getTile().getType(), /*writes=*/false,
                      /*allowsGather=*/false);
}

SmemType TmaStoreOp::getBufferType() {
  Type element = getValue().getType().getElementType();
  int64_t columns = getColumns();
  return SmemType::get(
      getContext(), {getTarget(*this).wgmmaM, columns}, element,
      static_cast<layout::Swizzle>(columns * sm::getElementBytes(element)));
}

LogicalResult TmaStoreOp::verify() {
  RankedTensorType tile = getValue().getType();
  if (failed(verifyUnmasked(*this)) ||
      failed(verifyAccess(*this, tile, /*writes=*/true,
                          /*allowsGather=*/false)))
    return failure();
  // C4
  int64_t warpgroups = sm::getWarps(*this) / getTarget(*this).warpsPerWarpgroup;
  Type element = tile.getElementType();
  if (tile.getRank() != 2 ||
      (tile.getElementTypeBitWidth() != 16 && !element.isF32()))
    return emitOpError() << "expected a tile of rank 2 of 16-bit elements or "
                            "f32, got "
                         << tile;
  llvm::Expected<layout::Layout> accumulator = layout::getAccumulator(
      tile.getDimSize(0), tile.getDimSize(1), warpgroups);
  if (!accumulator)
    return emitOpError() << "expected an accumulator: "
                         << llvm::toString(accumulator.takeError());
  if (int64_t rows = getTarget(*this).wgmmaM; tile.getDimSize(0) % rows != 0)
    return emitOpError() << "expected rows that do not repeat, in multiples of "
                         << rows << ", got " << tile.getDimSize(0);
  if (*accumulator != getLayout(tile))
    return emitOpError() << "expected the layout of an accumulator, \""
                         << accumulator->str() << "\", got " << tile;
  // C5
  int64_t columns = getColumns(), buffers = getBuffers();
  int64_t bytes = columns * sm::getElementBytes(element);
  int64_t each =
      tile.getDimSize(1) /
      layout::getProductSplit(tile.getDimSize(0), warpgroups).columns;
  if ((bytes != 32 && bytes != 64 && bytes != 128) || each % columns != 0)
    return emitOpError() << "expected columns of 32, 64 or 128 bytes that "
                            "divide "
                         << each << ", got " << columns;
  if (buffers < 1 || buffers > 8)
    return emitOpError() << "expected 1 to 8 buffers, got " << buffers;
  // C6, whose types are all that C4 leaves.
  if (getAdd() && getGlobalType().getAccess() != tile::Access::InOut)
    return emitOpError() << "expected an 'inout' tensor to add to, got "
                         << getGlobalType();
  return success();
}

//===----------------------------------------------------------------------===//
// Effects: parameters that are 'in' do not change during a launch
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

void LoadOp::getEffects(Effects &effects) {
  if (getGlobalType().isWritable())
    effects.emplace_back(MemoryEffects::Read::get(), &getGlobalMutable());
}

void StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getGlobalMutable());
}

void AtomicOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getGlobalMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getGlobalMutable());
}

/// Shared memory and barriers are one resource: such ops keep their order.
static void addSharedEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void FetchOp::getEffects(Effects &effects) { addSharedEffects(effects); }
void FetchStartOp::getEffects(Effects &effects) { addSharedEffects(effects); }
void CopyStoreOp::getEffects(Effects &effects) { addSharedEffects(effects); }
void CopyStartOp::getEffects(Effects &effects) { addSharedEffects(effects); }
void TmaLoadOp::getEffects(Effects &effects) { addSharedEffects(effects); }
void TmaStoreOp::getEffects(Effects &effects) { addSharedEffects(effects); }

//===----------------------------------------------------------------------===//
// Between registers and shared memory
//===----------------------------------------------------------------------===//

static LogicalResult verifySameTile(Operation *op, RankedTensorType tensor,
                                    SmemType smem) {
  if (tensor.getShape() == smem.getShape() &&
      tensor.getElementType() == smem.getElementType())
    return success();
  return op->emitOpError() << "expected operand and result to be of one shape "
                              "and element type, got "
                           << tensor << " and " << Type(smem);
}

LogicalResult SmemStoreOp::verify() {
  return verifySameTile(*this, getSource().getType(), getType());
}

LogicalResult SlotStoreOp::verify() {
  if (failed(verifyNotElected(*this)))
    return failure();
  // C2
  auto tile = getTile().getDefiningOp<SlotTileOp>();
  bool isSlot = getTile().getDefiningOp<SlotsAtOp>();
  if (!isSlot && (!tile || tile.getSlot().getDefiningOp<RingWaitOp>()))
    return emitOpError() << "expected the tile of a slot that was acquired";
  return verifySameTile(*this, getValue().getType(), getTile().getType());
}

LogicalResult SmemLoadOp::verify() {
  return verifySameTile(*this, getType(), getSource().getType());
}

LogicalResult SmemAtomicOp::verify() {
  // C1
  SmemType tile = getTile().getType();
  Type element = tile.getElementType();
  if (tile.getRank() != 1 || !(element.isInteger(32) || element.isInteger(64)))
    return emitOpError() << "expected a tile of rank 1 of i32 or i64, got "
                         << Type(tile);
  if (getKind() == tile::AtomicKind::Exchange ||
      getKind() == tile::AtomicKind::Cas)
    return emitOpError() << "'" << tile::stringifyAtomicKind(getKind())
                         << "' depends on the order of the operations";
  // C2
  RankedTensorType value = getValue().getType();
  if (value.getElementType() != element)
    return emitOpError() << "expected values of " << element << ", got "
                         << value;
  Type positions = value.clone(IntegerType::get(getContext(), 32));
  if (getPositions().getType() != positions)
    return emitOpError() << "expected positions of " << positions << ", got "
                         << getPositions().getType();
  return success();
}

LogicalResult ClipOp::verify() {
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || !role.getElected())
    return emitOpError() << "expected to be in an elected role";
  if (getTile().getType().getRank() != 2 || getAxis() < 0 || getAxis() > 1)
    return emitOpError() << "expected axis 0 or 1 of a tile of rank 2, got "
                            "axis "
                         << getAxis() << " of " << Type(getTile().getType());
  return success();
}
