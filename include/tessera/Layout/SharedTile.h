//===- SharedTile.h - Layouts of tiles in shared memory ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles in shared memory as TMA writes them: consecutive boxes whose rows are
// as long as the swizzle span. The XOR swizzle of 128 bytes moves the 16-byte
// chunk c of row r of a box to chunk c xor r%8. Spans of 64 and 32 bytes use
// r/2%4 and r/4%2 instead. A tile is not K-major or MN-major by itself: that
// depends on the product that reads it (`MatrixDescriptor`).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_SHAREDTILE_H
#define TESSERA_LAYOUT_SHAREDTILE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// The span within which chunks are exchanged, in bytes.
enum class Swizzle { None = 0, B32 = 32, B64 = 64, B128 = 128 };

/// Applies the exclusive or of the hardware to a byte address.
int64_t applySwizzle(Swizzle swizzle, int64_t byte);

/// Returns the alignment of a buffer in bytes: the size of the swizzle pattern,
/// or 128 without a swizzle.
int64_t getAlignment(Swizzle swizzle);

/// Returns "128B", "64B", "32B" or "none".
llvm::StringRef getSwizzleName(Swizzle swizzle);
std::optional<Swizzle> parseSwizzle(llvm::StringRef name);

/// Returns the layout of a tile whose last dimension is contiguous in global
/// memory, as TMA writes it with `swizzle`. A box is [all rows][span], with the
/// rows of all other dimensions in row-major order. Without a swizzle, a box
/// has whole rows.
llvm::Expected<Layout> getSharedTile(llvm::ArrayRef<int64_t> shape,
                                     int64_t elementBytes, Swizzle swizzle);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_SHAREDTILE_H
