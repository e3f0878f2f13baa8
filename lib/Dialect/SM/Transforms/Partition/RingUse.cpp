//===- RingUse.cpp - Slots in place of fetches ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RingUse.h"
#include "Roles/ComputedRows.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

static Value makeSlotTile(OpBuilder &builder, Location loc, Value slot,
                          SmemType type, int64_t index) {
  return SlotTileOp::create(builder, loc, type, slot, index);
}

/// Makes the size that a copy ends at: `limit`, if it is that and all roles see
/// it.
static Value makeSize(OpBuilder &builder, Value limit, tile::SizeAttr size,
                      Location loc) {
  if (isSize(limit, size) &&
      isa_and_present<tile::SizeOp, arith::ConstantOp>(limit.getDefiningOp()) &&
      isa<KernelOp>(limit.getParentBlock()->getParentOp()))
    return limit;
  return tile::SizeOp::create(builder, loc, builder.getIndexType(), size);
}

/// Returns the values that represent `values` in the role of `mapping`.
static SmallVector<Value> lookUp(const IRMapping &mapping, ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// Fills `tile` with what `fetch` says, at the positions of another role.
static void startFill(OpBuilder &builder, const RingFetch &fetch, Value tile,
                      IRMapping &mapping) {
  FetchOp op = fetch.op;
  Location loc = op.getLoc();
  if (fetch.computed) {
    SlotStoreOp::create(builder, fetch.computed.getLoc(), tile,
                        mapping.lookup(fetch.computed));
    return;
  }
  if (fetch.isByThreads) {
    FetchStartOp::create(
        builder, loc, op.getGlobal(), lookUp(mapping, op.getIndices()),
        lookUp(mapping, op.getLimits()),
        op.getMask() ? mapping.lookupOrDefault(op.getMask()) : Value(),
        op.getDimsAttr(), op.getInBoundsAttr(), tile, fetch.fill);
    return;
  }
  SmallVector<Value> limits;
  for (auto [axis, limit] : llvm::enumerate(op.getLimits()))
    limits.push_back(
        llvm::is_contained(fetch.clippedAxes, axis)
            ? mapping.lookupOrDefault(limit)
            : makeSize(builder, limit,
                       op.getGlobalType().getShape()[op.getDims()[axis]], loc));
  CopyStartOp::create(
      builder, loc, op.getGlobal(), lookUp(mapping, op.getIndices()), limits,
      /*mask=*/Value(), op.getDimsAttr(), op.getInBoundsAttr(), tile);
}

void sm::fillSlot(OpBuilder &builder, const FetchGroup &group, Value ring,
                  IRMapping &mapping) {
  FetchOp place = group.getPlace();
  SmallVector<SmemType> tiles = group.getTiles();
  auto slotType = SlotType::get(builder.getContext(), tiles);
  Value slot = RingAcquireOp::create(builder, place.getLoc(), slotType, ring);
  // Vectors last: the copy engine serves copies in their order, and copies of a
  // few bytes would delay those of the tiles.
  for (bool ofVectors : {false, true})
    for (auto [index, fetch] : llvm::enumerate(group.fetches)) {
      bool isVector = tiles[index].getShape().size() == 1;
      if (isVector != ofVectors)
        continue;
      Value tile = makeSlotTile(builder, FetchOp(fetch.op).getLoc(), slot,
                                tiles[index], index);
      startFill(builder, fetch, tile, mapping);
    }
  RingCommitOp::create(builder, place.getLoc(), slot);
}

/// Adds a barrier of the role if no product of `fetch` has run since its slot
/// was taken. Without it, a warp may still wait for this phase of the mbarrier
/// while others fill the slot twice more. The warp would then miss the phase.
static void meetWithoutProducts(OpBuilder &builder, const RingFetch &fetch) {
  FetchOp op = fetch.op;
  Location loc = op.getLoc();
  Value skipped;
  for (Operation *user : op->getUsers()) {
    if (user->getBlock() == op->getBlock())
      return;
    auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
    if (!loop || loop->getBlock() != op->getBlock() || loop.getUnsignedCmp())
      continue;
    Value isIdle =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                              loop.getLowerBound(), loop.getUpperBound());
    skipped =
        skipped ? arith::AndIOp::create(builder, loc, skipped, isIdle) : isIdle;
  }
  if (!skipped) {
    BarrierOp::create(builder, loc);
    return;
  }
  auto branch = scf::IfOp::create(builder, loc, skipped,
                                  /*withElseRegion=*/false);
  OpBuilder inner = branch.getThenBodyBuilder();
  BarrierOp::create(inner, loc);
}

void sm::useSlot(const FetchGroup &group, Value ring, bool isFilledAgain) {
  FetchOp place = group.getPlace();
  OpBuilder builder(place);
  SmallVector<SmemType> tiles = group.getTiles();
  auto slotType = SlotType::get(builder.getContext(), tiles);
  Value slot = RingWaitOp::create(builder, place.getLoc(), slotType, ring);
  builder.setInsertionPointAfter(group.lastUse);
  // Where one thread of a warpgroup gives the slot back for all: warps of a
  // product end together; those that read for themselves have to meet first.
  if (!cast<RingAllocOp>(ring.getDefiningOp()).getWarps()) {
    if (!group.isOnlyMultiplied())
      BarrierOp::create(builder, group.lastUse->getLoc());
    else if (isFilledAgain)
      meetWithoutProducts(builder, group.fetches.front());
  }
  RingReleaseOp::create(builder, group.lastUse->getLoc(), slot);
  builder.setInsertionPoint(place);
  for (auto [index, fetch] : llvm::enumerate(group.fetches)) {
    FetchOp op = fetch.op;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (user->getBlock() == place->getBlock() && user->isBeforeInBlock(place))
        user->moveAfter(place);
    Value tile = makeSlotTile(builder, op.getLoc(), slot, tiles[index], index);
    op.getResult().replaceAllUsesWith(tile);
  }
  for (const RingFetch &fetch : group.fetches) {
    FetchOp(fetch.op).erase();
    if (fetch.computed)
      eraseComputedRow(fetch.computed.getDefiningOp());
  }
}

static SlotType getSlotType(Value ring) {
  return SlotType::get(ring.getContext(),
                       cast<RingType>(ring.getType()).getTiles());
}

Value sm::makeRing(OpBuilder &builder, Location loc, int64_t slots,
                   ArrayRef<SmemType> tiles, bool isReleasedPerWarp) {
  auto type = RingType::get(builder.getContext(), slots, tiles);
  return RingAllocOp::create(builder, loc, type, isReleasedPerWarp);
}

void sm::writeSlot(OpBuilder &builder, Location loc, Value ring, Value tile) {
  SlotType type = getSlotType(ring);
  Value slot = RingAcquireOp::create(builder, loc, type, ring);
  SlotStoreOp::create(
      builder, loc,
      makeSlotTile(builder, loc, slot, type.getTiles().front(), 0), tile);
  RingCommitOp::create(builder, loc, slot);
}

void sm::readSlot(SmemStoreOp smemStore, Operation *last, Value ring) {
  OpBuilder builder(smemStore);
  Location loc = smemStore.getLoc();
  Value slot = RingWaitOp::create(builder, loc, getSlotType(ring), ring);
  smemStore.replaceAllUsesWith(
      makeSlotTile(builder, loc, slot, smemStore.getType(), 0));
  builder.setInsertionPointAfter(last);
  RingReleaseOp::create(builder, last->getLoc(), slot);
  smemStore.erase();
}

void sm::copyOut(OpBuilder &builder, TmaStoreOp store, Value ring,
                 IRMapping &mapping) {
  Location loc = store.getLoc();
  SlotType type = getSlotType(ring);
  Value slot = RingWaitOp::create(builder, loc, type, ring);
  CopyStoreOp::create(
      builder, loc,
      makeSlotTile(builder, loc, slot, type.getTiles().front(), 0),
      store.getGlobal(), lookUp(mapping, store.getIndices()),
      lookUp(mapping, store.getLimits()), /*mask=*/Value(), store.getDimsAttr(),
      store.getInBoundsAttr(), store.getAddAttr());
  RingReleaseOp::create(builder, loc, slot);
}
