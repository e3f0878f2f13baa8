//===- PartialResults.h - Partial results per thread ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_REDUCTIONS_PARTIALRESULTS_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_REDUCTIONS_PARTIALRESULTS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// Returns the number of warps that the schedule of `kernel` asks for. Products
/// may use fewer.
int64_t countWantedWarps(KernelOp kernel);

/// Returns the number of partial results to which `reduce`, in `loop`, can be
/// brought without an exchange between threads. The function predicts the
/// layout of the tile. With another layout, results are as right, but slower.
///
/// In a loop of products, the layout is that of their accumulator: a thread
/// holds every eighth column. Otherwise, it is that of wide loads, which spread
/// a row over lanes and warps. The number is then one period of the layout
/// along the row.
int64_t countPartialResults(scf::ForOp loop, ReduceOp reduce);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_REDUCTIONS_PARTIALRESULTS_H
