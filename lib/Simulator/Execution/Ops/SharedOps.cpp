//===- SharedOps.cpp - Tiles in shared memory, by threads -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behaviour of the ops with which threads access shared memory: fetches
// (synchronous and in flight), clips, and moves between registers and shared
// memory. The threads of a role share the pieces of a tile, or each warp moves
// its fragment. Fetches in flight use the generic proxy; the warp that started
// them waits for them.
//
// Invariant: every access is recorded before its effect. In the planned form,
// an op that writes for asynchronous operations implies barriers and a proxy
// fence; in the fenced form it implies none.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"
#include "Tiles/Box.h"
#include "Tiles/SharedElements.h"

using namespace tessera;
using namespace tessera::sim;
using interp::Handle;
using interp::Tile;

/// Returns the stage of a proxy fence after the writes of an op, if the op
/// implies it.
static SmallVector<Stage, 2> fenceImplied(const BehaviourTable &table) {
  if (table.isFenced())
    return {};
  return {[](Operation *op, Warp &warp) {
    warp.fence();
    return Outcome::Done;
  }};
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Outcome runAlloc(OpTy op, Warp &warp) {
  warp.set(op.getResult(),
           Handle{warp.getCta().getSimulation().placement.getAddress(op), 0});
  return Outcome::Done;
}

static Outcome runSlotsAt(sm::SlotsAtOp op, Warp &warp) {
  int64_t index = warp.getInteger(op.getIndex());
  int64_t count = op.getSlots().getType().getCount();
  if (index < 0 || index >= count)
    return warp.fail(op, "the index of the slot is " + Twine(index) + ", of " +
                             Twine(count));
  int64_t base = warp.getHandle(op.getSlots()).number;
  warp.set(op.getResult(),
           Handle{base + index * op.getResult().getType().getBytes(), 0});
  return Outcome::Done;
}

static Outcome runSlotAfter(sm::SlotAfterOp op, Warp &warp) {
  // The machine computes the sum as an unsigned number.
  uint32_t sum = warp.getInteger(op.getIndex()) + op.getDistance();
  warp.set(op.getResult(), interp::Tile::getInteger(interp::ElementType::I32,
                                                    sum % op.getCount()));
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Fetches and clips: the threads of the role share the pieces of a tile
//===----------------------------------------------------------------------===//

static Outcome fetchPart(sm::FetchOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  SharedTile tile{op.getType(), cta.getSimulation().placement.getAddress(op)};
  const Pieces &pieces = cta.getSimulation().tables.getPieces(
      tile.type, warp.getRank(), warp.getRoleWarps());
  FailureOr<Box> box = Box::get(op, BoxOperands::get(op), tile.type.getShape(),
                                warp, Box::Clip::ByLimits);
  if (failed(box))
    return Outcome::Failed;
  Tile values(tile.getElementType(), {int64_t(pieces.elements.size())});
  if (failed(box->read(op, warp, pieces.elements, values)) ||
      failed(recordAccess(op, warp, tile.base, pieces.footprint,
                          /*isWrite=*/true)))
    return Outcome::Failed;
  storeElements(cta, tile, pieces.elements, values);
  warp.set(op.getResult(), Handle{tile.base, 0});
  return Outcome::Done;
}

/// Checks whether a fetch moves single elements: gathered elements have
/// arbitrary addresses, and a fill value is written element by element.
static bool goesByElements(sm::FetchStartOp op) {
  bool isGathered = llvm::any_of(op.getIndices(), [](Value index) {
    return isa<RankedTensorType>(index.getType());
  });
  return op.getFill() || (isGathered && op.getTile().getType().getRank() == 1);
}

/// Starts the part of the warp as one operation in flight.
static Outcome startFetch(sm::FetchStartOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  Cluster &cluster = cta.getCluster();
  SharedTile tile{op.getTile().getType(), warp.getHandle(op.getTile()).number};
  const Pieces &pieces = cta.getSimulation().tables.getPieces(
      tile.type, warp.getRank(), warp.getRoleWarps(), goesByElements(op));
  FailureOr<Box> box = Box::get(op, BoxOperands::get(op), tile.type.getShape(),
                                warp, Box::Clip::ByLimits);
  if (failed(box))
    return Outcome::Failed;
  Copy copy{cluster.startAsync(), op, &cta, {}};
  if (failed(box->issue(op, warp, pieces.elements, copy.number,
                        /*write=*/std::nullopt)) ||
      failed(recordAccess(op, warp, tile.base, pieces.footprint,
                          /*isWrite=*/true, copy.number)))
    return Outcome::Failed;
  cluster.noteTarget(copy, cta);
  warp.advance();
  warp.fetches.push_back(copy.number);
  copy.takeEffect = [=, box = *box, &pieces, &cta,
                     &warp]() mutable -> LogicalResult {
    Tile values(tile.getElementType(), {int64_t(pieces.elements.size())});
    fillWith(values, op.getFillAttr());
    if (failed(box.read(op, warp, pieces.elements, values)))
      return failure();
    storeElements(cta, tile, pieces.elements, values);
    return success();
  };
  cluster.start(std::move(copy));
  return Outcome::Done;
}

static Outcome awaitFetches(sm::FetchAwaitOp op, Warp &warp) {
  size_t end = warp.fetches.size() -
               std::min<size_t>(op.getLeave(), warp.fetches.size());
  for (size_t i = warp.fetchesSeen; i < end; ++i)
    if (warp.getCta().getCluster().isInFlight(warp.fetches[i]))
      return warp.block([] { return std::string("its fetches"); });
  if (warp.isAsking())
    return Outcome::Ready;
  for (; warp.fetchesSeen < end; ++warp.fetchesSeen)
    warp.seeGeneric(warp.fetches[warp.fetchesSeen]);
  return Outcome::Done;
}

static Outcome runClip(sm::ClipOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  SharedTile tile{op.getTile().getType(), warp.getHandle(op.getTile()).number};
  int64_t limit = warp.getInteger(op.getLimit());
  int64_t columns = tile.type.getShape()[1];
  LayoutTables &tables = cta.getSimulation().tables;
  const std::vector<int64_t> &bytes = tables.getBytes(tile.type);
  std::vector<int32_t> elements;
  std::vector<int64_t> touched;
  for (int32_t element :
       tables.getPieces(tile.type, /*warp=*/0, /*warps=*/1).elements) {
    int64_t position =
        op.getAxis() == 0 ? element / columns : element % columns;
    if (position < limit)
      continue;
    elements.push_back(element);
    touched.push_back(bytes[element]);
  }
  if (elements.empty())
    return Outcome::Done;
  Tile zeros(tile.getElementType(), {int64_t(elements.size())});
  if (failed(recordAccess(
          op, warp, tile.base,
          Footprint::get(std::move(touched), tile.type.getElementBytes()),
          /*isWrite=*/true)))
    return Outcome::Failed;
  storeElements(cta, tile, elements, zeros);
  warp.fence();
  return Outcome::Done;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static Outcome stagePart(sm::SmemStoreOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  LayoutTables &tables = cta.getSimulation().tables;
  SharedTile tile{op.getType(), cta.getSimulation().placement.getAddress(op)};
  RankedTensorType source = op.getSource().getType();
  const Fragment &fragment = warp.getFragment(source);
  const Tile &values = warp.getTile(op.getSource());
  bool changesNothing =
      fragment.hasCopies && hasElements(cta, tile, fragment.elements, values);
  if (failed(
          recordAccess(op, warp, tile.base,
                       tables.getFootprint(source, warp.getRank(), tile.type),
                       /*isWrite=*/true, /*number=*/0, changesNothing)))
    return Outcome::Failed;
  storeElements(cta, tile, fragment.elements, values);
  warp.set(op.getResult(), Handle{tile.base, 0});
  return Outcome::Done;
}

static Outcome runFill(sm::SlotStoreOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  SharedTile tile{op.getTile().getType(), warp.getHandle(op.getTile()).number};
  RankedTensorType source = op.getValue().getType();
  const Fragment &fragment = warp.getFragment(source);
  const Tile &values = warp.getTile(op.getValue());
  bool changesNothing =
      fragment.hasCopies && hasElements(cta, tile, fragment.elements, values);
  if (failed(recordAccess(op, warp, tile.base,
                          cta.getSimulation().tables.getFootprint(
                              source, warp.getRank(), tile.type),
                          /*isWrite=*/true, /*number=*/0, changesNothing)))
    return Outcome::Failed;
  storeElements(cta, tile, fragment.elements, values);
  return Outcome::Done;
}

static Outcome runRead(sm::SmemLoadOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  SharedTile tile{op.getSource().getType(),
                  warp.getHandle(op.getSource()).number};
  if (failed(recordAccess(op, warp, tile.base,
                          cta.getSimulation().tables.getFootprint(
                              op.getType(), warp.getRank(), tile.type),
                          /*isWrite=*/false)))
    return Outcome::Failed;
  Tile result = warp.makeResult(op);
  loadElements(cta, tile, warp.getFragment(op.getType()).elements, result);
  warp.set(op.getResult(), std::move(result));
  return Outcome::Done;
}

static Outcome runSmemAtomic(sm::SmemAtomicOp op, Warp &warp) {
  Cta &cta = warp.getCta();
  LayoutTables &tables = cta.getSimulation().tables;
  SharedTile tile{op.getTile().getType(), warp.getHandle(op.getTile()).number};
  const Fragment &fragment = warp.getFragment(op.getValue().getType());
  ArrayRef<int64_t> values = warp.getTile(op.getValue()).integers();
  ArrayRef<int64_t> positions = warp.getTile(op.getPositions()).integers();
  int64_t extent = tile.type.getShape().front();
  auto applies = [&](size_t place) {
    return fragment.isFirst[place] && positions[place] >= 0 &&
           positions[place] < extent;
  };
  std::vector<bool> isTouched(extent);
  for (size_t place = 0; place < positions.size(); ++place)
    if (applies(place))
      isTouched[positions[place]] = true;
  const std::vector<int64_t> &bytes = tables.getBytes(tile.type);
  std::vector<int64_t> touched;
  for (int64_t position = 0; position < extent; ++position)
    if (isTouched[position])
      touched.push_back(bytes[position]);
  if (touched.empty())
    return Outcome::Done;
  if (failed(recordAtomic(
          op, warp, tile.base,
          Footprint::get(std::move(touched), tile.type.getElementBytes()))))
    return Outcome::Failed;
  // The warp is the only agent that runs: elements that it does not touch stay.
  ArrayRef<int32_t> elements = tables.getAllElements(extent);
  Tile present(tile.getElementType(), {extent});
  loadElements(cta, tile, elements, present);
  MutableArrayRef<int64_t> integers = present.mutableIntegers();
  for (size_t place = 0; place < positions.size(); ++place)
    if (applies(place)) {
      int64_t &element = integers[positions[place]];
      element = interp::getReplacement(op.getKind(), tile.getElementType(),
                                       element, values[place], /*expected=*/0);
    }
  storeElements(cta, tile, elements, present);
  return Outcome::Done;
}

void sim::addSharedBehaviours(BehaviourTable &table) {
  table.addPrivate<sm::ScratchOp>(runAlloc<sm::ScratchOp>);
  table.addPrivate<sm::SlotsAllocOp>(runAlloc<sm::SlotsAllocOp>);
  table.addPrivate<sm::SlotsAtOp>(runSlotsAt);
  table.addPrivate<sm::SlotAfterOp>(runSlotAfter);
  table.add<sm::FetchOp>({meetImplied(table),
                          {BehaviourTable::makeStage(fetchPart)},
                          fenceImplied(table),
                          meetImplied(table)});
  table.add<sm::FetchStartOp>(
      {meetImplied(table), {BehaviourTable::makeStage(startFetch)}});
  table.add<sm::FetchAwaitOp>(
      {{BehaviourTable::makeStage(awaitFetches).waits()},
       fenceImplied(table),
       meetImplied(table)});
  table.add<sm::ClipOp>(runClip);
  table.add<sm::SmemStoreOp>({meetImplied(table),
                              {BehaviourTable::makeStage(stagePart)},
                              fenceImplied(table),
                              meetImplied(table)});
  table.add<sm::SlotStoreOp>(runFill);
  table.add<sm::SmemLoadOp>(runRead);
  table.add<sm::SmemAtomicOp>(runSmemAtomic);
}
