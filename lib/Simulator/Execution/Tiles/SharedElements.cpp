//===- SharedElements.cpp - Elements of tiles in shared memory --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores elements of a tile in shared memory as bits. The layout maps
// an element to its byte. For asynchronous accesses, the swizzle applies to the
// absolute address, as in TMA and the tensor cores. A tile with a wrong
// alignment thus gives wrong values, as on the machine.
//
//===----------------------------------------------------------------------===//

#include "SharedElements.h"

#include "tessera/Array/Rounding.h"

using namespace tessera;
using namespace tessera::sim;
using interp::Tile;

static int64_t getByte(const SharedTile &tile, int64_t byte) {
  return tile.proxy == Proxy::Generic
             ? tile.base + byte
             : getAsyncByte(tile.type, tile.base, byte);
}

/// Calls `visit(i, bits)` for each element of a tile; an element has the size
/// of `Word`.
template <typename Word, typename Visit>
static void forEachWord(Cta &cta, const SharedTile &tile,
                        ArrayRef<int32_t> elements, Visit visit) {
  const std::vector<int64_t> &bytes =
      cta.getSimulation().tables.getBytes(tile.type);
  const SharedMemory &memory = cta.getMemory();
  const uint8_t *data = memory.read(0, memory.getSize()).data();
  for (size_t i = 0, e = elements.size(); i < e; ++i) {
    Word bits;
    std::memcpy(&bits, data + getByte(tile, bytes[elements[i]]), sizeof(Word));
    visit(i, bits);
  }
}

template <typename Visit>
static void forEachElement(Cta &cta, const SharedTile &tile,
                           ArrayRef<int32_t> elements, Visit visit) {
  switch (tile.type.getElementBytes()) {
  case 1:
    return forEachWord<uint8_t>(cta, tile, elements, visit);
  case 2:
    return forEachWord<uint16_t>(cta, tile, elements, visit);
  case 4:
    return forEachWord<uint32_t>(cta, tile, elements, visit);
  default:
    return forEachWord<uint64_t>(cta, tile, elements, visit);
  }
}

void sim::loadElements(Cta &cta, const SharedTile &tile,
                       ArrayRef<int32_t> elements, Tile &values) {
  interp::ElementType type = tile.getElementType();
  if (!values.isFloat()) {
    MutableArrayRef<int64_t> out = values.mutableIntegers();
    return forEachElement(cta, tile, elements, [&](size_t i, uint64_t bits) {
      out[i] = interp::wrap(type, static_cast<int64_t>(bits));
    });
  }
  if (type == interp::ElementType::F64) {
    MutableArrayRef<double> out = values.getMutable<double>();
    return forEachElement(cta, tile, elements, [&](size_t i, uint64_t bits) {
      out[i] = llvm::bit_cast<double>(bits);
    });
  }
  MutableArrayRef<float> out = values.getMutable<float>();
  forEachElement(cta, tile, elements, [&](size_t i, uint64_t bits) {
    out[i] = array::decode(type, static_cast<uint32_t>(bits));
  });
}

void sim::storeElements(Cta &cta, const SharedTile &tile,
                        ArrayRef<int32_t> elements, const Tile &values) {
  const std::vector<int64_t> &bytes =
      cta.getSimulation().tables.getBytes(tile.type);
  int64_t size = tile.type.getElementBytes();
  for (auto [i, element] : llvm::enumerate(elements)) {
    uint64_t bits = values.getBits(i);
    cta.getMemory().write(
        getByte(tile, bytes[element]),
        ArrayRef(reinterpret_cast<const uint8_t *>(&bits), size));
  }
}

bool sim::hasElements(Cta &cta, const SharedTile &tile,
                      ArrayRef<int32_t> elements, const Tile &values) {
  Tile present(tile.getElementType(), {int64_t(elements.size())});
  loadElements(cta, tile, elements, present);
  for (size_t i = 0; i < elements.size(); ++i)
    if (present.getBits(i) != values.getBits(i))
      return false;
  return true;
}

static LogicalResult record(Operation *op, Warp &warp, Cta &target,
                            ArrayRef<int64_t> starts, int64_t count,
                            bool isWrite, uint32_t number,
                            bool changesNothing = false,
                            bool isAtomic = false) {
  if (starts.empty())
    return success();
  Access access;
  access.op = op;
  access.when = number ? Moment::async(number) : warp.now();
  access.proxy = number && sm::getCompletion(op) != sm::Completion::Fetches
                     ? Proxy::Async
                     : Proxy::Generic;
  access.isWrite = isWrite;
  access.isAtomic = isAtomic;
  return target.getCluster().record(warp, target, access, starts, count,
                                    changesNothing);
}

LogicalResult sim::recordAccess(Operation *op, Warp &warp, int64_t base,
                                const Footprint &footprint, bool isWrite,
                                uint32_t number, bool changesNothing) {
  return record(op, warp, warp.getCta(), footprint.at(base), footprint.count,
                isWrite, number, changesNothing);
}

LogicalResult sim::recordAccess(Operation *op, Warp &warp, int64_t base,
                                int64_t bytes, bool isWrite, uint32_t number) {
  return record(op, warp, warp.getCta(), base, bytes, isWrite, number);
}

LogicalResult sim::recordAccess(Operation *op, Warp &warp, Cta &target,
                                ArrayRef<int64_t> starts, int64_t count,
                                bool isWrite, uint32_t number) {
  return record(op, warp, target, starts, count, isWrite, number);
}

LogicalResult sim::recordAtomic(Operation *op, Warp &warp, int64_t base,
                                const Footprint &footprint) {
  return record(op, warp, warp.getCta(), footprint.at(base), footprint.count,
                /*isWrite=*/true, /*number=*/0, /*changesNothing=*/false,
                /*isAtomic=*/true);
}
