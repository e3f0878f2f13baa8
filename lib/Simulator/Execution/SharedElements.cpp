//===- SharedElements.cpp - Elements of tiles in shared memory --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

void sim::loadElements(Cta &cta, const SharedTile &tile,
                       ArrayRef<int32_t> elements, Tile &values) {
  const std::vector<int64_t> &bytes =
      cta.getSimulation().tables.getBytes(tile.type);
  int64_t size = tile.type.getElementBytes();
  interp::ElementType type = tile.getElementType();
  auto loadAll = [&](auto out, auto decode) {
    for (auto [i, element] : llvm::enumerate(elements)) {
      ArrayRef<uint8_t> from =
          cta.getMemory().read(getByte(tile, bytes[element]), size);
      uint64_t bits = 0;
      std::memcpy(&bits, from.data(), size);
      out[i] = decode(bits);
    }
  };
  if (values.isFloat())
    loadAll(values.mutableFloats(), [type](uint64_t bits) {
      return array::decode(type, static_cast<uint32_t>(bits));
    });
  else
    loadAll(values.mutableIntegers(), [type](uint64_t bits) {
      return interp::wrap(type, static_cast<int64_t>(bits));
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
                            bool changesNothing = false) {
  if (starts.empty())
    return success();
  Access access;
  access.op = op;
  access.when = number ? Moment::async(number) : warp.now();
  access.proxy = number && sm::getCompletion(op) != sm::Completion::Fetches
                     ? Proxy::Async
                     : Proxy::Generic;
  access.isWrite = isWrite;
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
