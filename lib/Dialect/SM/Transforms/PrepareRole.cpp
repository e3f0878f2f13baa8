//===- PrepareRole.cpp - Tiles that a role of its own computes --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-prepare-role. What arrives goes to a role that computes from it
// what products take, and from there through a ring to the role that
// multiplies. All run the same loops and see the slots of each ring in one
// order, so none waits for ever.
//
//===----------------------------------------------------------------------===//

#include "ExchangedTiles.h"
#include "GatheredLoads.h"
#include "PreparedTiles.h"
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

/// The role that prepares tiles, which has nothing to do yet; null if there is
/// none.
static RoleOp findPrepareRole(KernelOp kernel) {
  for (RoleOp role : kernel.getBody().getOps<RoleOp>())
    if (role.getName() == "prepare" && !role.getElected() &&
        role.getBody().front().without_terminator().empty())
      return role;
  return nullptr;
}

/// The op that waits for what `read` reads; null with a reason if the role of
/// it cannot do without.
static RingWaitOp findWait(ReadOp read, std::string &why) {
  auto tile = read.getSource().getDefiningOp<SlotTileOp>();
  auto wait = tile ? tile.getSlot().getDefiningOp<RingWaitOp>() : RingWaitOp();
  if (!wait || wait->getBlock() != read->getBlock()) {
    why = "it reads what does not arrive through a ring, in its block";
    return nullptr;
  }
  if (!wait.getRing().getDefiningOp<RingAllocOp>().getWarps()) {
    why = "what it reads is not given back by single warps";
    return nullptr;
  }
  return wait;
}

namespace {
struct PrepareRole : sm::impl::PrepareRolePassBase<PrepareRole> {
  using PrepareRolePassBase::PrepareRolePassBase;
  using Tiles = llvm::MapVector<StageOp, PreparedTile>;
  using Rings = llvm::DenseMap<PlannedChannelAttr, Value>;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    RoleOp role = findPrepareRole(kernel);
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
    for (auto &[stage, tile] : tiles)
      use(stage, rings.lookup(*stage.getRing()));
    for (auto &[stage, tile] : tiles)
      eraseUnused(stage, tile);
    numTiles += tiles.size();
  }

  /// Adds `stage` to `tiles`, or reports why it cannot be there.
  static LogicalResult add(StageOp stage, RoleOp role, Tiles &tiles) {
    if (!role)
      return refuse(stage, "the kernel has no empty role 'prepare'");
    std::string why;
    FailureOr<PreparedTile> tile =
        matchPreparedTile(stage, role.getWarps(), why);
    if (failed(tile))
      return refuse(stage, why);
    for (ReadOp read : tile->getReads())
      if (!findWait(read, why))
        return refuse(stage, why);
    for (auto &[other, known] : tiles) {
      if (other->getParentOfType<RoleOp>() != stage->getParentOfType<RoleOp>())
        return refuse(stage, "one role multiplies, and it is not there");
      if (other.getRing() == stage.getRing() &&
          (other.getType() != stage.getType() ||
           other->getBlock() == stage->getBlock()))
        return refuse(stage, "a tile of another type, or of its block, goes "
                             "through it");
      for (auto [op, layout] : tile->layouts)
        if (Attribute before = known.layouts.lookup(op);
            before && before != layout)
          return refuse(stage, "what it is computed from is part of a tile of "
                               "another size");
    }
    tiles[stage] = std::move(*tile);
    return success();
  }

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
                                   /*warps=*/false);
    }
    return rings;
  }

  /// Clones what computes `tiles` to `role`, with what arrives for it.
  static LogicalResult clonePreparing(RoleOp role, const Tiles &tiles,
                                      const Rings &rings) {
    ScalarSlice slice([](Value value) {
      return isa<KernelOp>(value.getParentBlock()->getParentOp());
    });
    llvm::DenseMap<Operation *, const PreparedTile *> tileOf;
    std::string why;
    auto addRoot = [&](StageOp stage, Operation *op) -> LogicalResult {
      auto scalars =
          llvm::make_filter_range(op->getOperands(), [](Value value) {
            return value.getType().isIntOrIndexOrFloat();
          });
      if (succeeded(slice.add(op, llvm::to_vector(scalars), why)))
        return success();
      return refuse(stage, why);
    };
    for (auto &[stage, tile] : tiles) {
      llvm::SetVector<Operation *> roots;
      for (ReadOp read : tile.getReads()) {
        RingWaitOp wait = findWait(read, why);
        roots.insert(wait);
        roots.insert(read.getSource().getDefiningOp());
        for (Operation *user : wait->getUsers())
          if (isa<RingReleaseOp>(user))
            roots.insert(user);
      }
      for (auto [op, layout] : tile.layouts) {
        roots.insert(op);
        tileOf[op] = &tile;
      }
      roots.insert(StageOp(stage));
      tileOf[StageOp(stage)] = &tile;
      for (Operation *root : roots)
        if (failed(addRoot(stage, root)))
          return failure();
    }
    StageOp first = tiles.front().first;
    auto math = first->getParentOfType<RoleOp>();
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    IRMapping mapping;
    slice.clone(math.getBody().front(), builder, mapping,
                [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                  if (const PreparedTile *tile = tileOf.lookup(op))
                    compute(op, *tile, rings, at, mapping);
                  else
                    at.clone(*op, mapping);
                });
    return success();
  }

  /// What the preparing role does for `op`, which is part of `tile`.
  static void compute(Operation *op, const PreparedTile &tile,
                      const Rings &rings, OpBuilder &builder,
                      IRMapping &mapping) {
    for (Value operand : op->getOperands())
      if (Operation *constant = operand.getDefiningOp();
          constant && constant->hasTrait<OpTrait::ConstantLike>() &&
          isa<RankedTensorType>(operand.getType())) {
        Operation *copy = builder.clone(*constant, mapping);
        setTileLayout(copy, tile.getOperandLayout(op));
      }
    Location loc = op->getLoc();
    if (auto stage = dyn_cast<StageOp>(op)) {
      SmemType type = stage.getType();
      Value slot = RingAcquireOp::create(
          builder, loc, SlotType::get(stage.getContext(), {type}),
          rings.lookup(*stage.getRing()));
      FillOp::create(builder, loc,
                     SlotTileOp::create(builder, loc, type, slot, 0),
                     mapping.lookup(stage.getSource()));
      RingCommitOp::create(builder, loc, slot);
      return;
    }
    // One layout needs no conversions.
    if (auto convert = dyn_cast<ConvertOp>(op)) {
      mapping.map(convert.getResult(), mapping.lookup(convert.getSource()));
      return;
    }
    setTileLayout(builder.clone(*op, mapping), tile.layouts.lookup(op));
  }

  /// Lets products take the tile of `stage` from `ring`.
  static void use(StageOp stage, Value ring) {
    std::string why;
    Operation *last = findLastProduct(stage, why);
    Location loc = stage.getLoc();
    SmemType type = stage.getType();
    OpBuilder builder(stage);
    Value slot = RingWaitOp::create(
        builder, loc, SlotType::get(stage.getContext(), {type}), ring);
    stage.replaceAllUsesWith(
        SlotTileOp::create(builder, loc, type, slot, 0).getResult());
    builder.setInsertionPointAfter(last);
    RingReleaseOp::create(builder, last->getLoc(), slot);
  }

  /// Erases `stage`, and what computed its tile unless it is used.
  static void eraseUnused(StageOp stage, const PreparedTile &tile) {
    stage.erase();
    for (auto [op, layout] : llvm::reverse(tile.layouts)) {
      if (!op->use_empty())
        continue;
      auto read = dyn_cast<ReadOp>(op);
      auto source =
          read ? read.getSource().getDefiningOp<SlotTileOp>() : SlotTileOp();
      op->erase();
      if (source)
        eraseUnused(source);
    }
  }

  /// Erases `tile`, and the wait for its slot, unless they are used.
  static void eraseUnused(SlotTileOp tile) {
    Operation *wait = tile.getSlot().getDefiningOp();
    if (!tile->use_empty())
      return;
    tile.erase();
    if (!llvm::all_of(wait->getUsers(), llvm::IsaPred<RingReleaseOp>))
      return;
    for (Operation *release : llvm::make_early_inc_range(wait->getUsers()))
      release->erase();
    wait->erase();
  }
};
} // namespace
