//===- CopyOps.cpp - Tensor copies ------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behaviour of tensor copies. A copy is recorded at issue, under its own number
// as an asynchronous operation: its accesses to the tensor and to shared memory
// are checked then. Its effect (moving the elements and completing bytes at a
// barrier) is a function that the schedule calls later.
//
// A multicast load is split: each CTA copies its part of the boxes to all CTAs
// of the cluster. `sm.tma.store` is a loop of stages over chunks, each in a
// buffer of the warpgroup.
//
//===----------------------------------------------------------------------===//

#include "CopyOps.h"

#include "Behaviours.h"
#include "Tiles/TmaRules.h"

#include "tessera/Layout/RegisterTile.h"

using namespace tessera;
using namespace tessera::sim;
using interp::Tile;

namespace {
/// The part of a tile that one CTA copies.
struct Part {
  SmallVector<int32_t> elements;
  /// Byte offsets of the boxes from the start of the tile.
  SmallVector<int64_t> starts;
  int64_t boxBytes = 0;

  int64_t getBytes() const { return boxBytes * starts.size(); }
};
} // namespace

/// Adds the elements of a box in a tile of `shape`.
static void addElements(ArrayRef<int64_t> shape, ArrayRef<int64_t> origin,
                        ArrayRef<int64_t> extents,
                        SmallVectorImpl<int32_t> &elements) {
  SmallVector<int64_t> position(shape.size(), 0);
  while (true) {
    int64_t element = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      element = element * shape[dim] + origin[dim] + position[dim];
    elements.push_back(element);
    int64_t dim = shape.size() - 1;
    for (; dim >= 0; --dim) {
      if (++position[dim] < extents[dim])
        break;
      position[dim] = 0;
    }
    if (dim < 0)
      return;
  }
}

/// Returns the part of CTA number `rank` of `count`.
static llvm::Expected<Part> getPart(sm::SmemType tile,
                                    const layout::TmaBoxes &boxes, int64_t rank,
                                    int64_t count) {
  int64_t elementBytes = tile.getElementBytes();
  llvm::Expected<layout::TmaParts> parts =
      layout::getTmaParts(boxes, elementBytes, count);
  if (!parts)
    return parts.takeError();
  Part part;
  part.boxBytes = parts->first.getBytes(elementBytes);
  for (const layout::TmaBoxes::Box &box : parts->first.boxes) {
    layout::Point origin = box.origin;
    for (auto [x, step] : llvm::zip_equal(origin, parts->step))
      x += rank * step;
    addElements(tile.getShape(), origin, parts->first.extents, part.elements);
    part.starts.push_back(box.byte + rank * parts->byteStep);
  }
  return part;
}

Outcome sim::startLoad(Operation *op, const BoxOperands &operands,
                       const SharedTile &tile, Warp &warp, int64_t barrier,
                       bool isMulticast, Box::Clip clip) {
  Cta &own = warp.getCta();
  Cluster &cluster = own.getCluster();
  FailureOr<Box> box = Box::get(op, operands, tile.type.getShape(), warp, clip);
  if (failed(box))
    return Outcome::Failed;
  SmallVector<Cta *> targets;
  for (const std::unique_ptr<Cta> &cta : cluster.getCtas())
    if (isMulticast || cta.get() == &own)
      targets.push_back(cta.get());
  const layout::TmaBoxes *boxes = verifyCopy(op, warp, box->getTensor(), tile);
  if (!boxes ||
      failed(verifyColumn(op, warp, box->getTensor(), operands.indices.back(),
                          tile.type.getElementBytes())))
    return Outcome::Failed;
  llvm::Expected<Part> part = getPart(
      tile.type, *boxes, isMulticast ? own.getRank() : 0, targets.size());
  if (!part)
    return warp.fail(op, "cannot be copied by TMA: " +
                             llvm::toString(part.takeError()));
  Copy copy{cluster.startAsync(), op, &own, {}};
  if (failed(box->issue(op, warp, part->elements, copy.number,
                        /*write=*/std::nullopt)))
    return Outcome::Failed;
  SmallVector<int64_t> starts;
  for (int64_t start : part->starts)
    starts.push_back(tile.base + start);
  for (Cta *target : targets) {
    if (failed(recordAccess(op, warp, *target, starts, part->boxBytes,
                            /*isWrite=*/true, copy.number)))
      return Outcome::Failed;
    cluster.noteTarget(copy, *target);
  }
  warp.advance();
  copy.takeEffect = [=, box = *box, part = std::move(*part),
                     number = copy.number, &warp]() -> LogicalResult {
    Tile values(tile.getElementType(), {int64_t(part.elements.size())});
    if (failed(box.read(op, warp, part.elements, values)))
      return failure();
    for (Cta *target : targets) {
      storeElements(*target, tile, part.elements, values);
      Mbarrier *signalled = target->findMbarrier(barrier);
      if (!signalled)
        return warp.report(op, "signals a barrier of CTA " +
                                   Twine(target->getNumber()) +
                                   ", which has not initialised it yet");
      Mbarrier::Defect defect = signalled->complete(part.getBytes(), number);
      if (verify(op, warp, *signalled, defect) != Outcome::Done)
        return failure();
    }
    return success();
  };
  copy.signals = true;
  cluster.start(std::move(copy));
  return Outcome::Done;
}

void sim::arriveAfterFetches(Operation *op, Warp &warp, int64_t barrier,
                             int64_t threads) {
  Cta &cta = warp.getCta();
  Cluster &cluster = cta.getCluster();
  SmallVector<uint32_t> fetches(
      ArrayRef(warp.fetches).drop_front(warp.fetchesAnnounced));
  warp.fetchesAnnounced = warp.fetches.size();
  Copy arrival{cluster.startAsync(), op, &cta, {}, /*signals=*/true};
  arrival.takeEffect = [=, &cta, &cluster, &warp]() -> LogicalResult {
    Clocks clocks(cluster.countWarps());
    for (uint32_t fetch : fetches) {
      if (failed(cluster.complete(fetch)))
        return failure();
      clocks.addGeneric(fetch);
    }
    Mbarrier &there = cta.getMbarrier(barrier);
    Mbarrier::Defect defect = there.arrive(clocks, threads);
    return success(verify(op, warp, there, defect) == Outcome::Done);
  };
  cluster.start(std::move(arrival));
}

static Outcome runTmaLoad(sm::TmaLoadOp op, Warp &warp) {
  int64_t index = warp.getInteger(op.getIndex());
  int64_t count = op.getBarrier().getType().getCount();
  if (index < 0 || index >= count)
    return warp.fail(op, "the index of the barrier is " + Twine(index) +
                             ", of " + Twine(count));
  return startLoad(op, op.getTile(), warp,
                   warp.getHandle(op.getBarrier()).number + index,
                   op.getMulticast());
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

Outcome sim::awaitStores(Warp &warp, size_t leave) {
  size_t end = warp.stores.size() - std::min(leave, warp.stores.size());
  for (size_t i = warp.storesSeen; i < end; ++i)
    if (warp.getCta().getCluster().isInFlight(warp.stores[i]))
      return warp.block([] {
        return std::string("its copies to global memory to read their tiles");
      });
  if (warp.isAsking())
    return Outcome::Ready;
  for (; warp.storesSeen < end; ++warp.storesSeen)
    warp.see(warp.stores[warp.storesSeen]);
  return Outcome::Done;
}

/// Starts a tensor copy from shared memory, in the newest group of the warp.
/// The box begins at `column` of a row, or a multiple of 16 bytes after it.
static Outcome startStore(Operation *op, Box box, Value column,
                          const SharedTile &tile, Warp &warp, Box::Write kind) {
  if (!verifyCopy(op, warp, box.getTensor(), tile) ||
      failed(verifyColumn(op, warp, box.getTensor(), column,
                          tile.type.getElementBytes())))
    return Outcome::Failed;
  Cta &cta = warp.getCta();
  ArrayRef<int32_t> elements =
      cta.getSimulation().tables.getAllElements(tile.type.getNumElements());
  // A wait only guarantees that the copy has read its tile. The copy is
  // complete in global memory at the end of the kernel.
  if (failed(box.issue(op, warp, elements, cta.getCluster().startUnawaited(),
                       kind)))
    return Outcome::Failed;
  std::optional<Box::Replacement> replacement;
  if (kind == Box::Write::Atomic)
    replacement.emplace();
  uint32_t number = cta.getCluster().startAsync();
  if (failed(recordAccess(op, warp, tile.base, tile.type.getBytes(),
                          /*isWrite=*/false, number)))
    return Outcome::Failed;
  warp.advance();
  warp.stores.push_back(number);
  cta.getCluster().start(
      {number, op, &cta, [=, &warp, &cta]() {
         Tile values(tile.getElementType(), {tile.type.getNumElements()});
         loadElements(cta, tile, elements, values);
         return box.write(op, warp, elements, values, replacement,
                          [](size_t) { return true; });
       }});
  return Outcome::Done;
}

static Outcome startPut(sm::CopyStoreOp op, Warp &warp) {
  if (!warp.isFirstOfRole())
    return Outcome::Done;
  auto type = cast<sm::SmemType>(op.getValue().getType());
  FailureOr<Box> box = Box::get(op, BoxOperands::get(op), type.getShape(), warp,
                                Box::Clip::BySizes);
  if (failed(box))
    return Outcome::Failed;
  return startStore(op, *box, op.getIndices().back(),
                    {type, warp.getHandle(op.getValue()).number, Proxy::Async},
                    warp, op.getAdd() ? Box::Write::Atomic : Box::Write::Store);
}

static Outcome awaitPut(sm::CopyStoreOp op, Warp &warp) {
  return awaitStores(warp, /*leave=*/0);
}

//===----------------------------------------------------------------------===//
// sm.tma.store: a loop over chunks, each one in a buffer of the warpgroup
//===----------------------------------------------------------------------===//

namespace {
/// Chunk number `counter` of the warp's warpgroup.
struct Chunk {
  Chunk(sm::TmaStoreOp op, Warp &warp);

  int64_t count, buffers, buffer;
  /// First row and column in the tile of the role.
  int64_t row, column;
  SharedTile tile;
  bool isRoundTrip;
};
} // namespace

static constexpr int64_t kRows = 64;

Chunk::Chunk(sm::TmaStoreOp op, Warp &warp) {
  RankedTensorType value = op.getValue().getType();
  int64_t rows = value.getDimSize(0), columns = value.getDimSize(1);
  layout::ProductSplit split =
      layout::getProductSplit(rows, warp.getRoleWarps() / 4);
  int64_t blocks = rows / kRows / split.rows;
  int64_t chunks = columns / split.columns / op.getColumns();
  count = blocks * chunks;
  buffers = op.getBuffers();
  buffer = warp.counter % buffers;
  int64_t part = warp.getWarpgroup();
  row = (part % split.rows * blocks + warp.counter / chunks) * kRows;
  column =
      (part / split.rows * chunks + warp.counter % chunks) * op.getColumns();
  tile.type = op.getBufferType();
  tile.base = warp.getCta().getSimulation().placement.getAddress(op) +
              (warp.getWarpgroup() * buffers + buffer) * tile.type.getBytes();
  isRoundTrip = count % buffers == 0;
}

static bool isFirstChunk(Operation *, Warp &warp) { return warp.counter == 0; }

static Outcome awaitBuffer(sm::TmaStoreOp op, Warp &warp) {
  if (!warp.isFirstOfWarpgroup())
    return Outcome::Done;
  // Buffers are reused from one execution of the op to the next only if each
  // execution uses all of them equally often.
  Chunk chunk(op, warp);
  bool goesRound = chunk.isRoundTrip || int64_t(warp.counter) >= chunk.buffers;
  return awaitStores(warp, goesRound ? chunk.buffers - 1 : 0);
}

static NamedBarrier &getStoreBarrier(Warp &warp) {
  return warp.getCta().getGroupBarrier(
      Cta::GroupBarrier::Store, warp.getFirstWarp(), warp.getWarpgroup());
}

static Outcome arriveWithWarpgroup(sm::TmaStoreOp op, Warp &warp) {
  return arriveAt(warp, getStoreBarrier(warp));
}

static Outcome waitForWarpgroup(sm::TmaStoreOp op, Warp &warp) {
  return waitAt(warp, getStoreBarrier(warp));
}

static Outcome writeChunk(sm::TmaStoreOp op, Warp &warp) {
  Chunk chunk(op, warp);
  Cta &cta = warp.getCta();
  RankedTensorType type = op.getValue().getType();
  const Fragment &fragment = warp.getFragment(type);
  const Tile &source = warp.getTile(op.getValue());
  const std::vector<int64_t> &bytes =
      cta.getSimulation().tables.getBytes(chunk.tile.type);
  int64_t columns = type.getDimSize(1), width = op.getColumns();
  SmallVector<int32_t> elements;
  std::vector<int64_t> touched;
  std::vector<size_t> places;
  for (auto [place, element] : llvm::enumerate(fragment.elements)) {
    int64_t row = element / columns - chunk.row;
    int64_t column = element % columns - chunk.column;
    if (row < 0 || row >= kRows || column < 0 || column >= width)
      continue;
    elements.push_back(row * width + column);
    touched.push_back(bytes[elements.back()]);
    places.push_back(place);
  }
  Tile values(source.getType(), {int64_t(elements.size())});
  interp::visitNumbers(source.getType(), [&](auto number) {
    using T = decltype(number);
    ArrayRef<T> in = source.get<T>();
    for (auto [out, place] : llvm::zip_equal(values.getMutable<T>(), places))
      out = in[place];
  });
  if (failed(recordAccess(
          op, warp, chunk.tile.base,
          Footprint::get(std::move(touched), chunk.tile.type.getElementBytes()),
          /*isWrite=*/true)))
    return Outcome::Failed;
  storeElements(cta, chunk.tile, elements, values);
  warp.fence();
  return Outcome::Done;
}

static Outcome copyChunk(sm::TmaStoreOp op, Warp &warp) {
  Chunk chunk(op, warp);
  if (warp.isFirstOfWarpgroup()) {
    FailureOr<Box> box =
        Box::get(op, BoxOperands::get(op), chunk.tile.type.getShape(), warp,
                 Box::Clip::BySizes, {chunk.row, chunk.column});
    if (failed(box))
      return Outcome::Failed;
    chunk.tile.proxy = Proxy::Async;
    auto kind = op.getAdd() ? Box::Write::Atomic : Box::Write::Store;
    if (startStore(op, *box, op.getIndices().back(), chunk.tile, warp, kind) !=
        Outcome::Done)
      return Outcome::Failed;
  }
  if (int64_t(++warp.counter) < chunk.count)
    return warp.goTo(0);
  warp.counter = 0;
  return Outcome::Done;
}

/// Waits for the copies outside of roles; a role waits at its end.
static Outcome endStore(sm::TmaStoreOp op, Warp &warp) {
  return warp.getRole() ? Outcome::Done : awaitStores(warp, /*leave=*/0);
}

void sim::addCopyBehaviours(BehaviourTable &table) {
  auto fence = [](Operation *, Warp &warp) {
    warp.fence();
    return Outcome::Done;
  };
  table.add<sm::TmaLoadOp>(runTmaLoad);
  SmallVector<Stage, 2> fences;
  if (!table.isFenced())
    fences.push_back(fence);
  table.add<sm::CopyStoreOp>({fences,
                              meetImplied(table),
                              {BehaviourTable::makeStage(startPut)},
                              {BehaviourTable::makeStage(awaitPut).waits()},
                              meetImplied(table)});
  // The buffers may overlap with operands that products of other warpgroups
  // still read. The fenced form has a barrier before the op; the other forms
  // imply it.
  table.add<sm::TmaStoreOp>(
      {table.isFenced() ? SmallVector<Stage, 2>() : meetRole(isFirstChunk),
       {BehaviourTable::makeStage(awaitBuffer).waits()},
       {BehaviourTable::makeStage(arriveWithWarpgroup)},
       {BehaviourTable::makeStage(waitForWarpgroup).waits()},
       {BehaviourTable::makeStage(writeChunk)},
       {BehaviourTable::makeStage(arriveWithWarpgroup)},
       {BehaviourTable::makeStage(waitForWarpgroup).waits()},
       {BehaviourTable::makeStage(copyChunk)},
       {BehaviourTable::makeStage(endStore).waits()}});
}
