//===- ProducerLoads.cpp - Loads that another role can bring ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProducerLoads.h"
#include "ComputedRows.h"
#include "GatheredLoads.h"

#include "tessera/Dialect/SM/IR/Plan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the loop that contains `load`, if it multiplies.
static scf::ForOp findProductLoop(LoadOp load) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!loop || loop.getBody()->getOps<MmaOp>().empty())
    return nullptr;
  return loop;
}

SmallVector<LoadOp> sm::findGathers(KernelOp kernel) {
  SmallVector<LoadOp> gathers;
  kernel.walk([&](LoadOp load) {
    if (isa<RankedTensorType>(load.getType()) && findProductLoop(load) &&
        getGathered(load.getIndices()) && !feedsPositions(load))
      gathers.push_back(load);
  });
  return gathers;
}

static bool hasProducts(Operation &op) {
  return isa<scf::ForOp>(op) && op.walk([](MmaOp) {
                                    return WalkResult::interrupt();
                                  }).wasInterrupted();
}

/// Returns the last loop of products before `load` in its block; null if there
/// is none.
static Operation *findLoopBefore(LoadOp load) {
  Operation *op = load->getPrevNode();
  while (op && !hasProducts(*op))
    op = op->getPrevNode();
  return op;
}

static bool hasLoopAfter(LoadOp load) {
  Operation *op = load->getNextNode();
  while (op && !hasProducts(*op))
    op = op->getNextNode();
  return op;
}

/// Returns the op before which a load outside a loop of products should be
/// fetched. For a vector, that is the loop, if the vector is loaded after it,
/// else the load itself. A tile is fetched where it is loaded, after a loop.
/// The fetching role runs ahead by the depth of the rings and has fetched the
/// tiles of the loop first. Null if `load` is neither.
static Operation *findPlaceBesideProducts(LoadOp load) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  if (!tile || getGathered(load.getIndices()) || findProductLoop(load))
    return nullptr;
  Operation *loop = findLoopBefore(load);
  if (tile.getRank() == 2)
    return loop ? load : nullptr;
  if (tile.getRank() != 1)
    return nullptr;
  return !loop && hasLoopAfter(load) ? load : loop;
}

bool sm::isBesideProducts(LoadOp load) { return findPlaceBesideProducts(load); }

/// Checks whether the wait for `load` is shorter if another role brings its
/// data. A row that a program needs first arrives early only if its fetch has
/// started during the program before.
static bool gainsFromStaging(LoadOp load) {
  if (findProductLoop(load))
    return true;
  return isBesideProducts(load) &&
         (findLoopBefore(load) ||
          load->getParentOfType<KernelOp>().getPersistent());
}

/// Returns the fill value of out-of-bounds elements; null if zero.
static TypedAttr getFill(LoadOp load) {
  TypedAttr fill = load.getFillAttr();
  return fill && !isPositiveZero(fill) ? fill : TypedAttr();
}

Reason sm::getObstacle(LoadOp load) {
  if (!findProductLoop(load) && !isBesideProducts(load))
    return "it is neither in a loop of products, nor a vector before or after "
           "one, nor a tile after one";
  if (load.getGlobalType().isWritable())
    return "the kernel writes this tensor";
  // Threads fill rows with anything, tensor copies tiles with zero.
  if (getFill(load) && (cast<RankedTensorType>(load.getType()).getRank() > 1 ||
                        getGathered(load.getIndices())))
    return "what is not valid there is not zero";
  return getGatherObstacle(load);
}

/// Moves `op`, and what it is computed from in its block, before `place`;
/// without doing anything if that is more than scalars.
static LogicalResult hoist(Operation *op, Operation *place) {
  llvm::SetVector<Operation *> slice;
  slice.insert(op);
  for (unsigned next = 0; next < slice.size(); ++next)
    for (Value operand : slice[next]->getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (!definition || definition->getBlock() != op->getBlock() ||
          definition->isBeforeInBlock(place))
        continue;
      if (definition->getNumRegions() != 0 || !isMemoryEffectFree(definition) ||
          definition == place || !operand.getType().isIntOrIndexOrFloat())
        return failure();
      slice.insert(definition);
    }
  SmallVector<Operation *> order(slice.begin(), slice.end());
  llvm::sort(order,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *moved : order)
    moved->moveBefore(place);
  return success();
}

/// Returns the first op of a loop body that is more than the arithmetic of
/// scalars.
static Operation *getPlace(scf::ForOp loop) {
  for (Operation &op : *loop.getBody())
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op) ||
        !llvm::all_of(op.getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); }))
      return &op;
  return loop.getBody()->getTerminator();
}

void ProducerLoads::stage(StageableLoad row, Operation *place) {
  auto [load, brought, isCopiedVector] = row;
  Attribute name = brought->removeAttr(kPlanEntryAttrName);
  // The read replaces the computation of the row; its fetch comes earlier.
  OpBuilder builder(load);
  if (brought != load)
    builder.setInsertionPointAfter(brought);
  if (brought != load && failed(hoistComputedRow(brought, place))) {
    brought = load;
    builder.setInsertionPoint(load);
  }
  RankedTensorType type = cast<RankedTensorType>(load.getType());
  SmemStoreOp smemStore = findGatherStore(load);
  auto fetch = FetchOp::create(
      builder, load.getLoc(), getFetchedType(load), load.getGlobal(),
      load.getIndices(), load.getLimits(), load.getMask(), load.getDimsAttr(),
      load.getInBoundsAttr(), /*address=*/IntegerAttr());
  if (name)
    fetch->setAttr(kPlanEntryAttrName, name);
  if (TypedAttr fill = getFill(load))
    fetch->setAttr(kFillAttrName, fill);
  // Where its position is computed late, it stays where it is.
  (void)hoist(fetch, place);
  if (brought != load && fetch->isBeforeInBlock(brought))
    fetch->moveAfter(brought);
  if (smemStore) {
    smemStore.getResult().replaceAllUsesWith(fetch);
    smemStore->remove();
  }
  SmemLoadOp read;
  if (!smemStore || !load->hasOneUse()) {
    read = SmemLoadOp::create(builder, brought->getLoc(), type, fetch);
    brought->getResult(0).replaceUsesWithIf(
        read, [&](OpOperand &use) { return use.getOwner() != smemStore; });
  }
  loads[fetch] = {load, brought, read, OwningOpRef<SmemStoreOp>(smemStore),
                  isCopiedVector};
}

SmallVector<StageableLoad> sm::findStageableLoads(KernelOp kernel,
                                                  RefuseLoad refuse) {
  SmallVector<StageableLoad> found;
  kernel.walk([&](LoadOp load) {
    if (!isa<RankedTensorType>(load.getType()) || feedsPositions(load) ||
        !gainsFromStaging(load))
      return;
    if (Reason obstacle = getObstacle(load))
      return refuse(load, obstacle.str());
    found.push_back({load, load});
  });
  // Role "fetch" computes vectors only with a single warp; gathers take two.
  if (llvm::none_of(found, [](const StageableLoad &row) {
        return getGathered(LoadOp(row.load).getIndices());
      }))
    for (StageableLoad &row : found)
      if (findProductLoop(row.load))
        row.brought = findComputedRow(row.load);
  return found;
}

ProducerLoads::ProducerLoads(ArrayRef<StageableLoad> found) {
  PositionLayouts layouts;
  for (const StageableLoad &row : found) {
    if (scf::ForOp loop = findProductLoop(row.load))
      hoistPositions(row.load, loop);
    separatePositions(row.load, getFetchedType(row.load), layouts);
  }
  llvm::DenseMap<Operation *, Operation *> places;
  for (const StageableLoad &row : found) {
    scf::ForOp loop = findProductLoop(row.load);
    if (!loop) {
      // Positions of a gather may have moved before their loop: they are loaded
      // once, and no role waits for them there.
      if (Operation *place = findPlaceBesideProducts(row.load))
        stage(row, place);
      continue;
    }
    auto [place, isNew] = places.try_emplace(loop);
    if (isNew)
      place->second = getPlace(loop);
    stage(row, place->second);
  }
}

Value ProducerLoads::getComputed(FetchOp fetch) const {
  const Staged &staged = loads.find(fetch)->second;
  return staged.brought == staged.load ? Value() : staged.brought->getResult(0);
}

bool ProducerLoads::isForThreads(FetchOp fetch) const {
  return getGathered(fetch.getIndices()) ||
         (fetch.getType().getRank() == 1 &&
          !loads.find(fetch)->second.isCopiedVector);
}

SmallVector<FetchOp> ProducerLoads::getFetches() const {
  return llvm::map_to_vector(
      loads, [](const auto &entry) { return cast<FetchOp>(entry.first); });
}

void ProducerLoads::revert(FetchOp fetch) {
  Staged &staged = loads.find(fetch)->second;
  if (staged.read) {
    staged.read.replaceAllUsesWith(staged.brought->getResult(0));
    staged.read.erase();
  }
  if (staged.smemStore) {
    OpBuilder builder(staged.load->getContext());
    builder.setInsertionPointAfter(staged.load);
    SmemStoreOp smemStore = staged.smemStore.release();
    builder.insert(smemStore);
    fetch.replaceAllUsesWith(smemStore.getResult());
  }
  loads.erase(fetch);
  fetch.erase();
}

void ProducerLoads::commit() {
  for (auto &[fetch, staged] : loads) {
    staged.smemStore = nullptr;
    if (staged.brought == staged.load)
      staged.load.erase();
  }
  loads.clear();
}

//===----------------------------------------------------------------------===//
// Data that arrives from another role
//===----------------------------------------------------------------------===//

/// Returns the values of a fetch that a role that fills rings needs: all its
/// operands, or the positions of a tensor copy and where it ends.
static SmallVector<Value> getPositions(const RingFetch &fetch) {
  FetchOp op = fetch.op;
  SmallVector<Value> values(op.getIndices());
  if (!fetch.isByThreads) {
    for (int64_t axis : fetch.clippedAxes)
      values.push_back(op.getLimits()[axis]);
    return values;
  }
  if (fetch.computed)
    return {fetch.computed};
  llvm::append_range(values, op.getLimits());
  if (op.getMask())
    values.push_back(op.getMask());
  return values;
}

Reason sm::addFetch(RoleSlice &slice, const RingFetch &fetch) {
  Attribute layout = fetch.positionLayout;
  if (fetch.computed)
    layout =
        getComputedLayout(cast<RankedTensorType>(fetch.computed.getType()));
  return slice.add(fetch.op, getPositions(fetch), layout);
}

/// The same as `matchTmaFetch`, for threads.
static OrReason<RingFetch> matchThreads(FetchOp fetch, Value computed) {
  SmemType tile = fetch.getType();
  RingFetch result;
  result.op = fetch;
  result.isByThreads = true;
  result.fill = fetch->getAttrOfType<TypedAttr>(kFillAttrName);
  result.computed = computed;
  if (fetch.getGlobalType().isWritable())
    return "the kernel writes this tensor";
  if (getGathered(fetch.getIndices())) {
    if (Reason reason = matchGather(result))
      return reason;
  } else if (tile.getRank() != 1) {
    return "threads of another role bring rows, gathered or alone, and "
           "no other tiles";
  }
  if (tile.getBytes() % tile.getAlignment() != 0)
    return "slots of " + Twine(tile.getBytes()) +
           " bytes do not begin at multiples of " + Twine(tile.getAlignment()) +
           " bytes";
  return result;
}

OrReason<RingFetch> sm::matchFetch(FetchOp fetch, bool isByThreads,
                                   Value computed, const IsVisible &isVisible) {
  OrReason<RingFetch> result =
      isByThreads ? matchThreads(fetch, computed) : matchTmaFetch(fetch);
  if (!result)
    return result;
  if (Reason reason = findLastUse(fetch).getReason())
    return reason;
  RoleSlice slice(isVisible);
  if (Reason reason = addFetch(slice, *result))
    return reason;
  return result;
}

//===----------------------------------------------------------------------===//
// Loads that stay
//===----------------------------------------------------------------------===//

void sm::diagnoseUnstagedLoad(LoadOp load, const Twine &why, bool remarks) {
  auto tile = cast<RankedTensorType>(load.getType());
  bool isLarge = tile.getRank() > 1 || getGathered(load.getIndices());
  if (isLarge && !isBesideProducts(load)) {
    load.emitWarning() << "kernel '"
                       << load->getParentOfType<KernelOp>().getSymName()
                       << "' is likely to be slow: its products wait for this "
                          "load in each step of their loop, since "
                       << why << " [unstaged-load]";
    return;
  }
  if (remarks)
    load.emitRemark() << "no other role runs ahead with this load: " << why
                      << " [load-in-place]";
}
