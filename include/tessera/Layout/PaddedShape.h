//===- PaddedShape.h - Extents that spread over threads ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes and warps are powers of two, so a layout without holes shares only the
// power of two in an extent: of a row of 1000 = 8 * 125 elements each thread
// holds all vectors of 8. A tile of 1024 elements, of which 24 are padding,
// spreads over all threads.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_PADDEDSHAPE_H
#define TESSERA_LAYOUT_PADDEDSHAPE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// Returns how many elements each thread holds of a tile of `shape` in the
/// layout that memory accesses get, with vectors of at most 16 bytes; nothing
/// if there is no such layout.
std::optional<int64_t> countElementsOfThread(llvm::ArrayRef<int64_t> shape,
                                             int64_t elementBytes,
                                             int64_t warps);

/// Returns the shape to pad a tile to. It is `shape`, unless each thread would
/// hold more than twice the elements that it holds with extents rounded up to
/// powers of two. Then the extents with `mayGrow` grow to those that leave a
/// thread the fewest elements.
Point getPaddedShape(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<bool> mayGrow, int64_t elementBytes,
                     int64_t warps);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_PADDEDSHAPE_H
