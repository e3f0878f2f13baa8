//===- OffsetMap.h - From elements to offsets -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inverse of a layout in shared memory, for checks of every element of a
// tile. `InverseMap` divides and eliminates for each element. Here, a table for
// each dimension holds the contributions of its coordinates.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_OFFSETMAP_H
#define TESSERA_LAYOUT_OFFSETMAP_H

#include "tessera/Layout/Layout.h"
#include <array>

namespace tessera::layout {

class OffsetMap {
public:
  /// `shared` has no axis but offsets, and each element at one of them.
  explicit OffsetMap(const Layout &shared);

  /// Returns the offset of the element.
  int64_t at(llvm::ArrayRef<int64_t> coordinates) const {
    uint64_t mask = 0;
    int64_t offset = 0;
    for (size_t dim = 0; dim < coordinates.size(); ++dim) {
      const Part &part = parts[dim][coordinates[dim]];
      mask ^= part.mask;
      offset += part.counted;
    }
    for (size_t i = 0; i < offsets.size(); ++i)
      offset += offsets[i][mask >> (8 * i) & 0xFF];
    return offset;
  }

private:
  /// The contribution of one coordinate: bits, as a mask, combine by exclusive
  /// or, and counts add up.
  struct Part {
    uint64_t mask = 0;
    int64_t counted = 0;
  };
  std::vector<std::vector<Part>> parts;
  /// The offset of each byte of a mask.
  std::vector<std::array<int64_t, 256>> offsets;
};

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_OFFSETMAP_H
