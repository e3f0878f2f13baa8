//===- PrepareRole.cpp - Tiles that a role of its own computes --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "RingUse.h"
#include "Roles/ExchangedTiles.h"
#include "Roles/GatheredLoads.h"
#include "Roles/TransformedOperands.h"

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Layout/Algebra.h"

using namespace tessera;
using namespace tessera::sm;

/// Reports why `stage` cannot do what the plan says.
static LogicalResult refuse(StageOp stage, const Twine &why) {
  return stage.emitOpError()
         << "cannot come by ring '" << getPlanEntryName(stage)
         << "' of the plan from role 'prepare': " << why;
}

/// Makes users of the row of `op`, which names a ring, read it from shared
/// memory.
static void passThrough(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value row = op->getResult(0);
  auto stage =
      StageOp::create(builder, op->getLoc(),
                      getStagedType(cast<RankedTensorType>(row.getType())), row,
                      /*address=*/IntegerAttr());
  stage->setAttr(kPlanEntryAttrName, op->removeAttr(kPlanEntryAttrName));
  auto read = ReadOp::create(builder, op->getLoc(), row.getType(), stage);
  row.replaceAllUsesExcept(read, stage);
}

namespace {
/// The tiles that a role computes, and how it comes to do so.
class Preparation {
public:
  Preparation(KernelOp kernel, RoleOp role)
      : kernel(kernel), role(role), warps(role.getWarps()),
        mathWarps(kernel.getPlanAttr().getMath().getWarps()) {}

  /// Decides about layouts, for all of `stages`, and adds each.
  LogicalResult add(ArrayRef<StageOp> stages);
  LogicalResult clone(const IsGiven &isGiven);
  void takeOver();

private:
  LogicalResult add(StageOp stage);
  Attribute foldLayout(Attribute layout) const;
  void makeRings();
  LogicalResult addTile(RoleSlice &slice, StageOp stage,
                        const PreparedTile &tile, std::string &why);
  LogicalResult addOtherSlots(RoleSlice &slice, std::string &why);
  Value getRing(StageOp stage) const { return rings.lookup(findRing(stage)); }

  KernelOp kernel;
  RoleOp role;
  int64_t warps, mathWarps;
  /// Whether tiles are in the layouts of the multiplying role, or in those
  /// folded for fewer warps.
  bool followsMath = false;
  /// With how its tile is computed, unless layouts stay as they are.
  llvm::MapVector<StageOp, PreparedTile> tiles;
  llvm::DenseMap<PlannedRingAttr, Value> rings;
};
} // namespace

/// As many warps as multiply can do what these do, and so can a part of as
/// many, if each does what several do. Rows are sums of tiles, whose layouts
/// follow from each other as they do in the kernel.
LogicalResult Preparation::add(ArrayRef<StageOp> stages) {
  bool hasRows = llvm::any_of(
      stages, [](StageOp stage) { return stage.getType().getRank() == 1; });
  followsMath = warps == mathWarps || (hasRows && mathWarps % warps == 0);
  for (StageOp stage : stages)
    if (failed(add(stage)))
      return failure();
  return success();
}

/// Returns `layout` for the warps of the role; null if they cannot hold it.
Attribute Preparation::foldLayout(Attribute layout) const {
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

/// Adds `stage` to the tiles, or reports why it cannot be there.
LogicalResult Preparation::add(StageOp stage) {
  std::string why;
  if (!findLastUse(stage, why))
    return refuse(stage, why);
  PreparedTile tile;
  if (!followsMath) {
    FailureOr<PreparedTile> found = matchPreparedTile(stage, warps, why);
    if (failed(found) && stage.getType().getRank() == 1)
      why += "; the " + std::to_string(mathWarps) +
             " warps that multiply could, or a part of as many";
    if (failed(found))
      return refuse(stage, why);
    tile = std::move(*found);
    for (ReadOp read : tile.getReads())
      if (!findWait(read, why))
        return refuse(stage, why);
  }
  for (auto &[other, known] : tiles)
    if (tile.disagrees(known))
      return refuse(stage, "what it is computed from is part of a tile of "
                           "another size");
  tiles[stage] = std::move(tile);
  return success();
}

/// Each warp that has read a row releases it.
void Preparation::makeRings() {
  OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
  for (auto &[op, tile] : tiles) {
    StageOp stage = op;
    PlannedRingAttr planned = findRing(stage);
    if (Value &ring = rings[planned]; !ring)
      ring = makeRing(builder, stage.getLoc(), planned.getStages(),
                      stage.getType(),
                      /*isGivenByWarps=*/stage.getType().getRank() == 1);
  }
}

/// Adds what computes the tile of `stage` to `slice`: as it is, or each op of
/// `tile`, which gets another layout.
LogicalResult Preparation::addTile(RoleSlice &slice, StageOp stage,
                                   const PreparedTile &tile, std::string &why) {
  if (followsMath)
    return slice.add(stage, stage.getSource(), why);
  llvm::SetVector<Operation *> roots;
  for (ReadOp read : tile.getReads()) {
    RingWaitOp wait = findWait(read, why);
    roots.insert(wait);
    roots.insert(read.getSource().getDefiningOp());
    for (Operation *user : wait->getUsers())
      if (isa<RingReleaseOp>(user))
        roots.insert(user);
  }
  for (auto [op, layout] : tile.layouts)
    roots.insert(op);
  roots.insert(stage);
  for (Operation *root : roots) {
    auto scalars =
        llvm::make_filter_range(root->getOperands(), [](Value value) {
          return value.getType().isIntOrIndexOrFloat();
        });
    if (failed(slice.add(root, llvm::to_vector(scalars), why)))
      return failure();
  }
  return success();
}

/// A role that waits for slots of a ring waits for all of them: adds the slots
/// that `slice` does not read, as in a copy of the loop without such tiles.
LogicalResult Preparation::addOtherSlots(RoleSlice &slice, std::string &why) {
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
    if (failed(slice.add(wait, {}, why)))
      return failure();
    for (Operation *user : wait->getUsers())
      if (isa<RingReleaseOp>(user) && failed(slice.add(user, {}, why)))
        return failure();
  }
  return success();
}

/// Emits the role's version of `op`, which is part of `tile`.
static void compute(Operation *op, const PreparedTile &tile, OpBuilder &builder,
                    IRMapping &mapping) {
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
LogicalResult Preparation::clone(const IsGiven &isGiven) {
  makeRings();
  ChangeLayout change;
  if (followsMath)
    change = [this](Attribute layout) { return foldLayout(layout); };
  RoleSlice slice(isGiven, change);
  llvm::DenseMap<Operation *, const PreparedTile *> tileOf;
  for (auto &[stage, tile] : tiles) {
    std::string why;
    for (auto [op, layout] : tile.layouts)
      tileOf[op] = &tile;
    if (failed(addTile(slice, stage, tile, why)))
      return refuse(stage, why);
  }
  if (std::string why; failed(addOtherSlots(slice, why)))
    return refuse(tiles.front().first, why);
  OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
  IRMapping mapping;
  slice.clone(kernel.getBody().front(), builder, mapping,
              [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                if (auto stage = dyn_cast<StageOp>(op))
                  handOver(at, stage.getLoc(), getRing(stage),
                           mapping.lookup(stage.getSource()));
                else if (const PreparedTile *tile = tileOf.lookup(op))
                  compute(op, *tile, at, mapping);
                else
                  at.clone(*op, mapping);
              });
  return success();
}

/// Lets the role that multiplies take the tiles from their rings.
void Preparation::takeOver() {
  for (auto &[op, tile] : tiles) {
    StageOp stage = op;
    std::string why;
    sm::takeOver(stage, findLastUse(stage, why), getRing(stage));
  }
}

LogicalResult sm::prepareTiles(KernelOp kernel, RoleOp role,
                               const IsGiven &isGiven) {
  if (!role)
    return success();
  SmallVector<Operation *> rows;
  auto isPrepared = [](Operation *op) {
    PlannedRingAttr planned = findRing(op);
    return planned && planned.getFiller() == Filler::Prepare;
  };
  kernel.walk([&](Operation *op) {
    if (isPrepared(op) && !isa<StageOp>(op))
      rows.push_back(op);
  });
  llvm::for_each(rows, passThrough);
  Preparation preparation(kernel, role);
  SmallVector<StageOp> stages;
  kernel.walk([&](StageOp stage) {
    if (isPrepared(stage))
      stages.push_back(stage);
  });
  if (failed(preparation.add(stages)) || failed(preparation.clone(isGiven)))
    return failure();
  preparation.takeOver();
  return success();
}
