//===- Fragments.h - Elements of a tile in each warp ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts as tables. The fragment of a warp is the part of a tile in its
// registers, an interp::Tile of shape [registers, 32]. Its places are numbered
// in row-major order, as are the elements of the whole tile.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_FRAGMENTS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_FRAGMENTS_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Layout/TmaBoxes.h"

#include <map>
#include <memory>

namespace tessera::sim {

/// The part of a tile that one warp holds.
struct Fragment {
  int64_t registers = 1;
  /// The element at each place.
  std::vector<int32_t> elements;
  /// For each element, the first place of this warp that holds it, or -1.
  std::vector<int32_t> places;
  /// For each place, whether it is the first among all warps that holds its
  /// element.
  std::vector<bool> isFirst;
  /// Whether other warps hold elements of this fragment.
  bool hasCopies = false;

  int64_t getNumPlaces() const { return elements.size(); }
};

/// The fragments of the warps of a role.
using Distribution = std::vector<Fragment>;

/// Bytes of a tile in shared memory that are accessed together: `count` bytes
/// from each start on, relative to the start of the tile.
struct Footprint {
  std::vector<int64_t> starts;
  int64_t count = 0;

  /// Merges elements of `elementBytes` bytes each.
  static Footprint get(std::vector<int64_t> elements, int64_t elementBytes);
  /// Returns the starts for a tile at `base`.
  SmallVector<int64_t> at(int64_t base) const;
};

/// The part of a tile in shared memory that one warp copies if the threads of a
/// role share its pieces of up to 16 bytes in round-robin order.
struct Pieces {
  std::vector<int32_t> elements;
  Footprint footprint;
};

/// A tile in shared memory as boxes of tensor copies, or the reason why that is
/// impossible.
struct TmaTile {
  std::optional<layout::TmaBoxes> boxes;
  std::string why;
};

class LayoutTables {
public:
  /// Returns 0, 1, … for all elements of a tile.
  ArrayRef<int32_t> getAllElements(int64_t count);
  /// Returns the fragments of a tile in registers.
  const Distribution &getDistribution(RankedTensorType tile);
  /// Returns the byte offset of each element of a tile in shared memory.
  const std::vector<int64_t> &getBytes(sm::SmemType tile);
  /// Returns the bytes of `smem` that a warp accesses when it moves `tile` from
  /// or to `smem`.
  const Footprint &getFootprint(RankedTensorType tile, unsigned warp,
                                sm::SmemType smem);
  /// Returns the bytes of the operand `a` that a warp with the accumulator
  /// `accumulator` reads.
  const Footprint &getRowFootprint(RankedTensorType accumulator, unsigned warp,
                                   sm::SmemType a, bool isTransposed);
  /// Returns the pieces of 16 bytes, or the elements, that a warp copies.
  const Pieces &getPieces(sm::SmemType tile, unsigned warp, unsigned warps,
                          bool byElements = false);
  const TmaTile &getTmaTile(sm::SmemType tile);

private:
  std::map<const void *, Distribution> distributions;
  std::map<const void *, std::vector<int64_t>> bytes;
  using Key = std::tuple<const void *, unsigned, const void *, int>;
  std::map<Key, Footprint> footprints;
  std::map<std::tuple<const void *, unsigned, unsigned, bool>, Pieces> pieces;
  std::map<int64_t, std::vector<int32_t>> numbers;
  std::map<const void *, TmaTile> tmaTiles;
};

/// The rows and columns of the elements of a fragment of rank 2. Rows are
/// numbered by their order among the rows that the warp holds.
struct RowView {
  RowView(const Fragment &fragment, int64_t columns);

  std::vector<int64_t> rows;
  /// By place of the fragment.
  std::vector<int32_t> row, column;
};

/// Returns where a tensor copy or the tensor cores find a byte of a tile at
/// `base`: the swizzle applies to absolute addresses.
inline int64_t getAsyncByte(sm::SmemType tile, int64_t base, int64_t byte) {
  layout::Swizzle swizzle = tile.getSwizzle();
  if (base % tile.getAlignment() == 0)
    return base + byte;
  return layout::applySwizzle(swizzle,
                              base + layout::applySwizzle(swizzle, byte));
}

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_FRAGMENTS_H
