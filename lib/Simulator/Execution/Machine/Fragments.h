//===- Fragments.h - Which warp holds what of a tile ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts as tables. A warp holds of a tile in registers a fragment, an
// interp::Tile of shape [registers, 32]; its places are numbered row-major, the
// elements of the whole tile too.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_FRAGMENTS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_FRAGMENTS_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Layout/TmaBoxes.h"

#include <map>
#include <memory>

namespace tessera::sim {

/// What one warp holds.
struct Fragment {
  int64_t registers = 1;
  /// By place: the element.
  std::vector<int32_t> elements;
  /// By element: the first place of the warp that holds it, or -1.
  std::vector<int32_t> places;
  /// By place: whether it is the first of all warps that holds its element.
  std::vector<bool> isFirst;
  /// Whether other warps hold elements of this one.
  bool hasCopies = false;

  int64_t getNumPlaces() const { return elements.size(); }
};

/// By warp of the role.
using Distribution = std::vector<Fragment>;

/// Bytes of a tile in shared memory that are touched together: `count` of them
/// from each start on, counted from the start of the tile.
struct Footprint {
  std::vector<int64_t> starts;
  int64_t count = 0;

  /// Merges elements of `elementBytes` each.
  static Footprint get(std::vector<int64_t> elements, int64_t elementBytes);
  /// The starts of a tile at `base`.
  SmallVector<int64_t> at(int64_t base) const;
};

/// What one warp copies of a tile in shared memory if the threads of a role
/// share its pieces of up to 16 bytes, one after the other.
struct Pieces {
  std::vector<int32_t> elements;
  Footprint footprint;
};

/// A tile in shared memory as boxes of tensor copies, or why it is none.
struct TmaTile {
  std::optional<layout::TmaBoxes> boxes;
  std::string why;
};

class LayoutTables {
public:
  /// 0, 1, … for all elements of a tile.
  ArrayRef<int32_t> getAllElements(int64_t count);
  /// The fragments of a tile in registers.
  const Distribution &getDistribution(RankedTensorType tile);
  /// By element, the byte of a tile in shared memory.
  const std::vector<int64_t> &getBytes(sm::SmemType tile);
  /// What a warp that moves `tile` from or to `smem` touches of the latter.
  const Footprint &getFootprint(RankedTensorType tile, unsigned warp,
                                sm::SmemType smem);
  /// What a warp whose accumulator is `accumulator` reads of the operand `a`.
  const Footprint &getRowFootprint(RankedTensorType accumulator, unsigned warp,
                                   sm::SmemType a, bool isTransposed);
  /// Which pieces of 16 bytes a warp copies, or which elements.
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

/// The rows and columns of the elements of a fragment of rank 2: rows are
/// numbered by their order among those that the warp holds.
struct RowView {
  RowView(const Fragment &fragment, int64_t columns);

  std::vector<int64_t> rows;
  /// By place.
  std::vector<int32_t> row, column;
};

/// Where a tensor copy or the tensor cores find a byte of a tile at `base`: the
/// swizzle acts on absolute addresses.
inline int64_t getAsyncByte(sm::SmemType tile, int64_t base, int64_t byte) {
  layout::Swizzle swizzle = tile.getSwizzle();
  if (base % tile.getAlignment() == 0)
    return base + byte;
  return layout::applySwizzle(swizzle,
                              base + layout::applySwizzle(swizzle, byte));
}

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_FRAGMENTS_H
