//===- PartialResults.h - What threads add up alone -------------*- C++ -*-===//
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

/// To how many partial results `reduce`, in `loop`, can be brought without an
/// exchange between threads. This guesses the layout that the tile will have:
/// with another one results are as right, and slower.
///
/// In a loop of products, that of their accumulator: a thread holds every
/// eighth column. Else that of wide loads, which spread a row over lanes and
/// warps: what one turn of them holds of it.
int64_t countPartialResults(scf::ForOp loop, ReduceOp reduce);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_REDUCTIONS_PARTIALRESULTS_H
