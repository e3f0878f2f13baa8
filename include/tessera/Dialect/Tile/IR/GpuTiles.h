//===- GpuTiles.h - The largest tiles of a GPU ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front end warns of tiles that no GPU holds, and the conversion to the
// `sm` dialect rejects them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_GPUTILES_H
#define TESSERA_DIALECT_TILE_IR_GPUTILES_H

#include "mlir/IR/Types.h"

#include <algorithm>

namespace tessera::tile {

/// Largest number of elements of 32 bits of a tile on a GPU.
constexpr int64_t kMaxGpuTileElements = int64_t(1) << 17;

/// Returns the largest number of elements of a tile on a GPU. Elements of fewer
/// than 16 bits take as much of a register as those of 16 bits.
inline int64_t getMaxGpuTileElements(mlir::Type element) {
  return kMaxGpuTileElements * 32 /
         std::max(16u, element.getIntOrFloatBitWidth());
}

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_GPUTILES_H
