//===- SharedElements.h - Elements of tiles in shared memory ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_TILES_SHAREDELEMENTS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_TILES_SHAREDELEMENTS_H

#include "Machine/Cluster.h"

namespace tessera::sim {

/// A tile in shared memory, accessed by threads or by asynchronous operations.
struct SharedTile {
  sm::SmemType type;
  int64_t base = 0;
  Proxy proxy = Proxy::Generic;

  interp::ElementType getElementType() const {
    return *interp::getElementType(type.getElementType());
  }
};

/// Sets values[i] to element elements[i] of the tile.
void loadElements(Cta &cta, const SharedTile &tile, ArrayRef<int32_t> elements,
                  interp::Tile &values);
/// Sets element elements[i] of the tile to values[i].
void storeElements(Cta &cta, const SharedTile &tile, ArrayRef<int32_t> elements,
                   const interp::Tile &values);

/// Checks whether the elements already have these values.
bool hasElements(Cta &cta, const SharedTile &tile, ArrayRef<int32_t> elements,
                 const interp::Tile &values);

/// Records that the warp, or the asynchronous operation `number` that it
/// starts, accesses `footprint` of the tile. Tensor copies and tensor cores use
/// the asynchronous proxy, fetches of threads the generic proxy.
LogicalResult recordAccess(Operation *op, Warp &warp, int64_t base,
                           const Footprint &footprint, bool isWrite,
                           uint32_t number = 0, bool changesNothing = false);
/// Records atomic writes of the warp.
LogicalResult recordAtomic(Operation *op, Warp &warp, int64_t base,
                           const Footprint &footprint);
/// Records an access to the whole tile.
LogicalResult recordAccess(Operation *op, Warp &warp, int64_t base,
                           int64_t bytes, bool isWrite, uint32_t number = 0);
/// Records an access to the shared memory of another CTA of the cluster.
LogicalResult recordAccess(Operation *op, Warp &warp, Cta &target,
                           ArrayRef<int64_t> starts, int64_t count,
                           bool isWrite, uint32_t number = 0);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_TILES_SHAREDELEMENTS_H
