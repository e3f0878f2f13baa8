//===- PaddedShape.h - Extents that spread over threads ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers of lanes and warps are powers of two. A layout without holes
// therefore divides only the power of two that is a factor of an extent. A row
// of 1000 = 8 * 125 elements, with vectors of 8, is entirely in each thread. A
// row of 1024 elements, including 24 of padding, spreads over all threads.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_PADDEDSHAPE_H
#define TESSERA_LAYOUT_PADDEDSHAPE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// Returns the number of elements of a tile of `shape` that each thread holds,
/// in the layout of memory accesses with vectors of at most 16 bytes. Returns
/// nothing if there is no such layout.
std::optional<int64_t> countElementsOfThread(llvm::ArrayRef<int64_t> shape,
                                             int64_t elementBytes,
                                             int64_t warps);

/// Returns the shape to pad a tile to. Usually that is `shape`. The shape grows
/// if a thread holds more than twice as many elements as with extents rounded
/// up to powers of two. The extents with `mayGrow` then become those with the
/// fewest elements in a thread.
Point getPaddedShape(llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<bool> mayGrow, int64_t elementBytes,
                     int64_t warps);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_PADDEDSHAPE_H
