//===- RearrangedAxes.h - Dimensions of a rearrangement ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rearrangement numbers the elements of its sources, so its strides depend on
// their extents. Most rearrangements move along dimensions of the sources: they
// permute, reverse or join dimensions, or take parts. The strides of such a map
// follow from other extents of the sources.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_REARRANGEDAXES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_REARRANGEDAXES_H

#include "tessera/Dialect/Tile/IR/IndexMap.h"

namespace tessera::tile {

/// A map from positions of the result to positions of a tile that joins the
/// sources along the dimension `joined`. The coordinate `axis` of the source is
/// `starts[axis]` plus `steps[dim]` times the position along each dimension
/// `dim` of the result with `axes[dim] == axis`.
struct RearrangedAxes {
  /// Returns the map of a rearrangement of sources and a result with these
  /// shapes. Returns nothing if a dimension of the result moves along several
  /// dimensions of the sources.
  static std::optional<RearrangedAxes> get(const IndexMap &map,
                                           ArrayRef<ArrayRef<int64_t>> sources,
                                           ArrayRef<int64_t> result);

  /// Returns the map for sources of other extents.
  IndexMap getMap(ArrayRef<ArrayRef<int64_t>> sources) const;

  /// Returns the dimensions of the result that move along `axis`.
  SmallVector<unsigned> getDims(unsigned axis) const;

  /// Checks whether `dim` of the result starts with the first element of `axis`
  /// and takes the next ones, and no other dimension moves along the axis.
  bool isPrefix(unsigned axis, unsigned dim) const;

  /// Checks whether `dim` of the result reverses `axis`, and no other dimension
  /// moves along the axis. `extent` is that of the dimension.
  bool isReversed(unsigned axis, unsigned dim, int64_t extent) const;

  unsigned joined = 0;
  SmallVector<int64_t> extents, starts, steps;
  /// The axes of the dimensions of the result. Dimensions with one element or
  /// with equal elements have none.
  SmallVector<std::optional<unsigned>> axes;
  /// Extents of the axes from this one on determine which bits are inverted.
  unsigned firstToggled = 0;
  int64_t toggle = 0;
};

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MASKS_REARRANGEDAXES_H
