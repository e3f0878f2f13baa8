//===- SharedTile.h - Layouts of tiles in shared memory ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles in shared memory as TMA writes them: boxes whose rows are as long as
// the swizzle span, one box after the other; within a box, the 16-byte chunk c
// of row r lies at chunk c xor r%8 (128 bytes), c xor r/2%4 (64) or c xor
// r/4%2 (32). Whether a tile is K-major or MN-major for a product is not a
// property of the tile but of who reads it (`MatrixDescriptor`).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_SHAREDTILE_H
#define TESSERA_LAYOUT_SHAREDTILE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// The span within which chunks are exchanged, in bytes.
enum class Swizzle { None = 0, B32 = 32, B64 = 64, B128 = 128 };

/// What the exclusive or of the hardware makes of a byte address.
int64_t applySwizzle(Swizzle swizzle, int64_t byte);

/// What a buffer must be aligned to, in bytes: a whole pattern.
int64_t getAlignment(Swizzle swizzle);

/// "128B", "64B", "32B", "none".
llvm::StringRef getSwizzleName(Swizzle swizzle);
std::optional<Swizzle> parseSwizzle(llvm::StringRef name);

/// A tile whose last dimension is contiguous in global memory, as TMA writes
/// it with `swizzle`: boxes of [all rows][span], rows of all other dimensions
/// in row-major order. Without swizzle a box takes whole rows.
llvm::Expected<Layout> getSharedTile(llvm::ArrayRef<int64_t> shape,
                                     int64_t elementBytes, Swizzle swizzle);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_SHAREDTILE_H
