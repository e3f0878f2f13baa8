//===- Rearrangement.h - Layouts of rearranged tiles ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rearrangement takes each element of its result from an element of its
// sources. Elements of tiles are numbered row by row, those of several sources
// one source after the other.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_REARRANGEMENT_H
#define TESSERA_LAYOUT_REARRANGEMENT_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// The place of a required element: in the thread of the same warp whose lane
/// differs from the own one in the bits of `laneToggle`.
struct RegisterSource {
  unsigned source;
  int64_t reg;
  int64_t laneToggle;
};

/// For each register of `result`, returns a place that is the same for all
/// threads. `numbers[i]` is the number of the required element of the sources
/// for element i of the result. Returns nothing if there are no such places.
std::optional<std::vector<RegisterSource>>
findRegisterSources(llvm::ArrayRef<Layout> sources, const Layout &result,
                    llvm::ArrayRef<int64_t> numbers);

/// Returns a layout of a tile of `shape` such that each thread holds the
/// elements that `layout` gives it in another tile, as far as they are in both
/// tiles. One step along a dimension of the tile of `layout` is worth `steps`
/// elements, and one of the returned layout `otherSteps`. Elements that are in
/// the new tile alone are in further registers. Fails if threads would have
/// nothing.
llvm::Expected<Layout> transferLayout(const Layout &layout,
                                      llvm::ArrayRef<int64_t> steps,
                                      llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> otherSteps);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_REARRANGEMENT_H
