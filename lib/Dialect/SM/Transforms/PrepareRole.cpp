//===- PrepareRole.cpp - Tiles that a role of its own computes --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-prepare-role. What arrives goes to a role that computes from it
// what products take, or statistics of rows, and from there through a ring to
// the role that multiplies. All run the same loops and see the slots of each
// ring in one order, so none waits for ever.
//
//===----------------------------------------------------------------------===//

#include "DeadTiles.h"
#include "EmptyRole.h"
#include "ExchangedTiles.h"
#include "GatheredLoads.h"
#include "PreparedTiles.h"
#include "RingUse.h"
#include "ScalarSlice.h"

#include "tessera/Dialect/SM/Transforms/Passes.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PREPAREROLEPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Reports why `stage` cannot do what the plan says.
static LogicalResult refuse(StageOp stage, const Twine &why) {
  return stage.emitOpError()
         << "cannot come by ring '" << stage.getRing()->getName()
         << "' of the plan from role 'prepare': " << why;
}

namespace {
struct PrepareRole : sm::impl::PrepareRolePassBase<PrepareRole> {
  using PrepareRolePassBase::PrepareRolePassBase;
  /// With how its tile is computed, unless layouts stay as they are.
  using Tiles = llvm::MapVector<StageOp, PreparedTile>;
  using Rings = llvm::DenseMap<PlannedChannelAttr, Value>;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    RoleOp role = findEmptyRole(kernel, "prepare", /*elected=*/false);
    Tiles tiles;
    WalkResult walk = kernel.walk([&](StageOp stage) -> WalkResult {
      if (!stage.getRing() || stage.getRing()->isExchange())
        return success();
      return add(stage, role, tiles);
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    if (tiles.empty())
      return;
    Rings rings = makeRings(kernel, tiles);
    if (failed(clonePreparing(role, tiles, rings)))
      return signalPassFailure();
    RoleOp math = getMath(tiles);
    for (auto &[op, tile] : tiles) {
      StageOp stage = op;
      std::string why;
      takeOver(stage, findLastUse(stage, why), rings.lookup(*stage.getRing()));
    }
    eraseDeadTiles(math);
    numTiles += tiles.size();
  }

  /// The role that uses `tiles`.
  static RoleOp getMath(const Tiles &tiles) {
    StageOp first = tiles.front().first;
    return first->getParentOfType<RoleOp>();
  }

  /// Whether tiles of `role` have the layouts that they have in `math`.
  static bool keepsLayouts(RoleOp role, RoleOp math) {
    return role.getWarps() == math.getWarps();
  }

  /// Adds `stage` to `tiles`, or reports why it cannot be there.
  static LogicalResult add(StageOp stage, RoleOp role, Tiles &tiles) {
    if (!role)
      return refuse(stage, "the kernel has no empty role 'prepare'");
    auto math = stage->getParentOfType<RoleOp>();
    if (!math || (!tiles.empty() && math != getMath(tiles)))
      return refuse(stage, "one role multiplies, and it is not there");
    std::string why;
    if (!findLastUse(stage, why))
      return refuse(stage, why);
    PreparedTile tile;
    if (!keepsLayouts(role, math)) {
      FailureOr<PreparedTile> found =
          matchPreparedTile(stage, role.getWarps(), why);
      if (failed(found))
        return refuse(stage, why);
      tile = std::move(*found);
      for (ReadOp read : tile.getReads())
        if (!findWait(read, why))
          return refuse(stage, why);
    }
    for (auto &[other, known] : tiles) {
      if (other.getRing() == stage.getRing() &&
          (other.getType() != stage.getType() ||
           other->getBlock() == stage->getBlock()))
        return refuse(stage, "a tile of another type, or of its block, goes "
                             "through it");
      if (tile.disagrees(known))
        return refuse(stage, "what it is computed from is part of a tile of "
                             "another size");
    }
    tiles[stage] = std::move(tile);
    return success();
  }

  /// Rows are given back by each warp that has read them.
  static Rings makeRings(KernelOp kernel, const Tiles &tiles) {
    OpBuilder builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Rings rings;
    for (auto &[op, tile] : tiles) {
      StageOp stage = op;
      if (Value &ring = rings[*stage.getRing()]; !ring)
        ring = RingAllocOp::create(builder, stage.getLoc(),
                                   RingType::get(kernel.getContext(),
                                                 stage.getRing()->getStages(),
                                                 {stage.getType()}),
                                   /*warps=*/stage.getType().getRank() == 1);
    }
    return rings;
  }

  /// Clones what computes `tiles` to `role`, with what arrives for it.
  static LogicalResult clonePreparing(RoleOp role, const Tiles &tiles,
                                      const Rings &rings) {
    RoleOp math = getMath(tiles);
    ScalarSlice slice(
        [](Value value) {
          return isa<KernelOp>(value.getParentBlock()->getParentOp());
        },
        keepsLayouts(role, math));
    llvm::DenseMap<Operation *, const PreparedTile *> tileOf;
    for (auto &[stage, tile] : tiles) {
      std::string why;
      for (auto [op, layout] : tile.layouts)
        tileOf[op] = &tile;
      if (failed(addTile(slice, stage, tile, why)))
        return refuse(stage, why);
    }
    if (std::string why; failed(addOtherSlots(slice, math, why)))
      return refuse(tiles.front().first, why);
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    IRMapping mapping;
    slice.clone(math.getBody().front(), builder, mapping,
                [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                  if (auto stage = dyn_cast<StageOp>(op))
                    handOver(at, stage.getLoc(), rings.lookup(*stage.getRing()),
                             mapping.lookup(stage.getSource()));
                  else if (const PreparedTile *tile = tileOf.lookup(op))
                    compute(op, *tile, at, mapping);
                  else
                    at.clone(*op, mapping);
                });
    return success();
  }

  /// Adds what computes the tile of `stage` to `slice`: as it is, or each op of
  /// `tile`, which gets another layout.
  static LogicalResult addTile(ScalarSlice &slice, StageOp stage,
                               const PreparedTile &tile, std::string &why) {
    if (tile.layouts.empty())
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

  /// Who takes slots of a ring takes all of them: adds those of which `slice`
  /// reads nothing, as in a copy of the loop that has nothing to prepare.
  static LogicalResult addOtherSlots(ScalarSlice &slice, RoleOp math,
                                     std::string &why) {
    llvm::DenseSet<Value> rings;
    SmallVector<RingWaitOp> waits;
    math.walk([&](RingWaitOp wait) {
      waits.push_back(wait);
      if (slice.contains(wait))
        rings.insert(wait.getRing());
    });
    for (RingWaitOp wait : waits) {
      if (!rings.contains(wait.getRing()) || slice.contains(wait))
        continue;
      if (failed(slice.add(wait, {}, why)))
        return failure();
      for (Operation *user : wait->getUsers())
        if (isa<RingReleaseOp>(user) && failed(slice.add(user, {}, why)))
          return failure();
    }
    return success();
  }

  /// What the preparing role does for `op`, which is part of `tile`.
  static void compute(Operation *op, const PreparedTile &tile,
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
};
} // namespace
