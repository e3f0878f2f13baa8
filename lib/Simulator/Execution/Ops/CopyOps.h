//===- CopyOps.h - Tensor copies --------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_OPS_COPYOPS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_OPS_COPYOPS_H

#include "Tiles/Box.h"
#include "Tiles/SharedElements.h"

namespace tessera::sim {

/// Starts a tensor copy into shared memory that completes its bytes at a
/// barrier. It ends where its tensor does, or at its limits, as `clip` says.
/// With multicast, the CTA copies its part to all CTAs of the cluster.
Outcome startLoad(Operation *op, const BoxOperands &operands,
                  const SharedTile &tile, Warp &warp, int64_t barrier,
                  bool isMulticast, Box::Clip clip);

template <typename OpTy>
Outcome startLoad(OpTy op, Value tile, Warp &warp, int64_t barrier,
                  bool isMulticast, Box::Clip clip = Box::Clip::BySizes) {
  return startLoad(op, BoxOperands::get(op),
                   {cast<sm::SmemType>(tile.getType()),
                    warp.getHandle(tile).number, Proxy::Async},
                   warp, barrier, isMulticast, clip);
}

/// Starts an arrival of `threads` threads of the warp at a barrier of its CTA.
/// It takes effect when all fetches since the last such arrival are complete.
/// Agents that wait there see these fetches, but no other action of the warp
/// (PTX ISA, "cp.async.mbarrier.arrive").
void arriveAfterFetches(Operation *op, Warp &warp, int64_t barrier,
                        int64_t threads);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_OPS_COPYOPS_H
