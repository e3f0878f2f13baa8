//===- GpuLimits.h - The largest tiles and grids of a GPU -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The front end warns of tiles that no GPU holds, and the conversion to the
// `sm` dialect rejects them. A kernel may need all programs to run at the same
// time. Devices without a GPU then reject grids that are too large for any GPU.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_GPULIMITS_H
#define TESSERA_DIALECT_TILE_IR_GPULIMITS_H

#include "mlir/IR/Types.h"

#include <algorithm>

namespace tessera::tile {

/// Largest number of elements of 32 bits of a tile on a GPU.
constexpr int64_t kMaxGpuTileElements = int64_t(1) << 17;

/// Largest number of programs that run at the same time, on a GPU with 132
/// multiprocessors of at most 32 blocks (CUDA C++ Programming Guide, "Compute
/// Capabilities"). A kernel of larger programs reaches fewer.
constexpr int64_t kMaxResidentPrograms = 132 * 32;

/// Returns the largest number of elements of a tile on a GPU. Elements of fewer
/// than 16 bits take as much of a register as those of 16 bits.
inline int64_t getMaxGpuTileElements(mlir::Type element) {
  return kMaxGpuTileElements * 32 /
         std::max(16u, element.getIntOrFloatBitWidth());
}

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_GPULIMITS_H
