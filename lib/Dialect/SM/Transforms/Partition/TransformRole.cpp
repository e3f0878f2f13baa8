//===- TransformRole.cpp - Operands computed by a role ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "RingUse.h"
#include "Roles/ComputedRings.h"
#include "Roles/GatheredLoads.h"
#include "Roles/TransformedOperands.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Layout/Algebra.h"

using namespace tessera;
using namespace tessera::sm;

/// Reports why `smemStore` cannot do what the plan says.
static LogicalResult refuse(SmemStoreOp smemStore, const Twine &why) {
  return smemStore.emitOpError()
         << "cannot come by ring '" << getPlanEntryName(smemStore)
         << "' of the plan from role 'transform': " << why;
}

/// Makes users of the row of `op`, which names a ring, read it from shared
/// memory.
static void passThrough(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value row = op->getResult(0);
  auto smemStore = SmemStoreOp::create(
      builder, op->getLoc(),
      getStagedType(cast<RankedTensorType>(row.getType())), row,
      /*address=*/IntegerAttr());
  smemStore->setAttr(kPlanEntryAttrName, op->removeAttr(kPlanEntryAttrName));
  auto read =
      SmemLoadOp::create(builder, op->getLoc(), row.getType(), smemStore);
  row.replaceAllUsesExcept(read, smemStore);
}

namespace {
/// The tiles that a role computes, and how it comes to do so.
class OperandTransform {
public:
  OperandTransform(KernelOp kernel, RoleOp role)
      : kernel(kernel), role(role), warps(role.getWarps()),
        mathWarps(kernel.getPlanAttr().getMath().getWarps()) {}

  /// Decides about layouts, for all of `stores`, and adds each.
  LogicalResult add(ArrayRef<SmemStoreOp> stores);
  LogicalResult clone(const IsVisible &isVisible);
  void readSlot();

private:
  LogicalResult add(SmemStoreOp smemStore);
  Attribute foldLayout(Attribute layout) const;
  void makeRings();
  Reason addTile(RoleSlice &slice, SmemStoreOp smemStore,
                 const TransformedOperand &tile);
  Reason addOtherSlots(RoleSlice &slice);
  Value getRing(SmemStoreOp smemStore) const {
    return rings.lookup(findRing(smemStore));
  }

  KernelOp kernel;
  RoleOp role;
  int64_t warps, mathWarps;
  /// Whether tiles are in the layouts of the multiplying role, or in those
  /// folded for fewer warps.
  bool followsMath = false;
  /// With how its tile is computed, unless layouts stay as they are.
  llvm::MapVector<SmemStoreOp, TransformedOperand> tiles;
  llvm::DenseMap<PlannedRingAttr, Value> rings;
};
} // namespace

/// As many warps as multiply can do what these do, and so can a part of as
/// many, if each does what several do. Rows are sums of tiles, whose layouts
/// follow from each other as they do in the kernel.
LogicalResult OperandTransform::add(ArrayRef<SmemStoreOp> stores) {
  bool hasRows = llvm::any_of(stores, [](SmemStoreOp smemStore) {
    return smemStore.getType().getRank() == 1;
  });
  followsMath = warps == mathWarps || (hasRows && mathWarps % warps == 0);
  for (SmemStoreOp smemStore : stores)
    if (failed(add(smemStore)))
      return failure();
  return success();
}

/// Returns `layout` for the warps of the role; null if they cannot hold it.
Attribute OperandTransform::foldLayout(Attribute layout) const {
  if (warps == mathWarps)
    return layout;
  llvm::Expected<layout::Layout> folded =
      layout::fold(cast<LayoutAttr>(layout).getLayout(), layout::kWarp, warps,
                   layout::kRegister);
  if (folded)
    return LayoutAttr::get(kernel->getContext(), *folded);
  llvm::consumeError(folded.takeError());
  return {};
}

/// Adds `smemStore` to the tiles, or reports why it cannot be there.
LogicalResult OperandTransform::add(SmemStoreOp smemStore) {
  if (Reason reason = findLastUse(smemStore).getReason())
    return refuse(smemStore, reason.str());
  TransformedOperand tile;
  if (!followsMath) {
    OrReason<TransformedOperand> found =
        matchTransformedOperand(smemStore, warps);
    if (!found && smemStore.getType().getRank() == 1)
      return refuse(smemStore, found.getReason().str() + "; the " +
                                   Twine(mathWarps) +
                                   " warps that multiply could, or a part of "
                                   "as many");
    if (!found)
      return refuse(smemStore, found.getReason().str());
    tile = std::move(*found);
    for (SmemLoadOp read : tile.getReads())
      if (Reason reason = findWait(read).getReason())
        return refuse(smemStore, reason.str());
  }
  for (auto &[other, known] : tiles)
    if (tile.disagrees(known))
      return refuse(smemStore, "what it is computed from is part of a tile of "
                               "another size");
  tiles[smemStore] = std::move(tile);
  return success();
}

/// Each warp that has read a row releases it.
void OperandTransform::makeRings() {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (auto &[op, tile] : tiles) {
    SmemStoreOp smemStore = op;
    PlannedRingAttr planned = findRing(smemStore);
    if (Value &ring = rings[planned]; !ring)
      ring = makeRing(builder, smemStore.getLoc(), planned.getSlots(),
                      smemStore.getType(),
                      /*isReleasedPerWarp=*/smemStore.getType().getRank() == 1);
  }
}

/// Adds what computes the tile of `smemStore` to `slice`: as it is, or each op
/// of `tile`, which gets another layout.
Reason OperandTransform::addTile(RoleSlice &slice, SmemStoreOp smemStore,
                                 const TransformedOperand &tile) {
  if (followsMath)
    return slice.add(smemStore, smemStore.getSource());
  llvm::SetVector<Operation *> roots;
  for (SmemLoadOp read : tile.getReads()) {
    RingWaitOp wait = *findWait(read);
    roots.insert(wait);
    roots.insert(read.getSource().getDefiningOp());
    for (Operation *user : wait->getUsers())
      if (isa<RingReleaseOp>(user))
        roots.insert(user);
  }
  for (auto [op, layout] : tile.layouts)
    roots.insert(op);
  roots.insert(smemStore);
  for (Operation *root : roots)
    if (Reason reason = addWithScalars(slice, root))
      return reason;
  return Reason::none();
}

/// Adds the slots that `slice` does not read, as in a copy of the loop without
/// such tiles. A role that waits for slots of a ring waits for all of them.
Reason OperandTransform::addOtherSlots(RoleSlice &slice) {
  llvm::DenseSet<Value> taken;
  SmallVector<RingWaitOp> waits;
  kernel.walk([&](RingWaitOp wait) {
    waits.push_back(wait);
    if (slice.contains(wait))
      taken.insert(wait.getRing());
  });
  for (RingWaitOp wait : waits) {
    if (!taken.contains(wait.getRing()) || slice.contains(wait))
      continue;
    if (Reason reason = slice.add(wait, {}))
      return reason;
    for (Operation *user : wait->getUsers())
      if (isa<RingReleaseOp>(user))
        if (Reason reason = slice.add(user, {}))
          return reason;
  }
  return Reason::none();
}

/// Emits the role's version of `op`, which is part of `tile`.
static void compute(Operation *op, const TransformedOperand &tile,
                    OpBuilder &builder, IRMapping &mapping) {
  for (Value operand : op->getOperands())
    if (Operation *constant = operand.getDefiningOp();
        constant && constant->hasTrait<OpTrait::ConstantLike>() &&
        isa<RankedTensorType>(operand.getType()))
      setTileLayout(builder.clone(*constant, mapping),
                    tile.getOperandLayout(op));
  // One layout needs no conversions.
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    mapping.map(convert.getResult(), mapping.lookup(convert.getSource()));
    return;
  }
  setTileLayout(builder.clone(*op, mapping), tile.layouts.lookup(op));
}

/// Clones what computes the tiles to the role, with what arrives for it.
LogicalResult OperandTransform::clone(const IsVisible &isVisible) {
  makeRings();
  ChangeLayout change;
  if (followsMath)
    change = [this](Attribute layout) { return foldLayout(layout); };
  RoleSlice slice(isVisible, change);
  llvm::DenseMap<Operation *, const TransformedOperand *> tileOf;
  for (auto &[smemStore, tile] : tiles) {
    for (auto [op, layout] : tile.layouts)
      tileOf[op] = &tile;
    if (Reason reason = addTile(slice, smemStore, tile))
      return refuse(smemStore, reason.str());
  }
  if (Reason reason = addOtherSlots(slice))
    return refuse(tiles.front().first, reason.str());
  OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
  IRMapping mapping;
  slice.clone(kernel.getBody().front(), builder, mapping,
              [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                if (auto smemStore = dyn_cast<SmemStoreOp>(op))
                  writeSlot(at, smemStore.getLoc(), getRing(smemStore),
                            mapping.lookup(smemStore.getSource()));
                else if (const TransformedOperand *tile = tileOf.lookup(op))
                  compute(op, *tile, at, mapping);
                else
                  at.clone(*op, mapping);
              });
  return success();
}

/// Lets the role that multiplies take the tiles from their rings.
void OperandTransform::readSlot() {
  for (auto &[op, tile] : tiles) {
    SmemStoreOp smemStore = op;
    sm::readSlot(smemStore, *findLastUse(smemStore), getRing(smemStore));
  }
}

LogicalResult sm::transformOperands(KernelOp kernel, RoleOp role,
                                    const IsVisible &isVisible) {
  if (!role)
    return success();
  SmallVector<Operation *> rows;
  auto isTransformed = [](Operation *op) {
    PlannedRingAttr planned = findRing(op);
    return planned && planned.getFiller() == Filler::Transform;
  };
  kernel.walk([&](Operation *op) {
    if (isTransformed(op) && !isa<SmemStoreOp>(op))
      rows.push_back(op);
  });
  llvm::for_each(rows, passThrough);
  OperandTransform transform(kernel, role);
  SmallVector<SmemStoreOp> stores;
  kernel.walk([&](SmemStoreOp smemStore) {
    if (isTransformed(smemStore))
      stores.push_back(smemStore);
  });
  if (failed(transform.add(stores)) || failed(transform.clone(isVisible)))
    return failure();
  transform.readSlot();
  return success();
}
