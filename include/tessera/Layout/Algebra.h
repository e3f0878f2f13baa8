//===- Algebra.h - Layouts from layouts -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations that stay within the algebra. What an operation cannot say as
// a layout it refuses, with the reason.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_ALGEBRA_H
#define TESSERA_LAYOUT_ALGEBRA_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// A tile of `count` copies of the present one next to each other along `dim`,
/// held by `count` times as many places along `axis`. Without `dim`, the new
/// places hold the same tile again: a broadcast.
llvm::Expected<Layout> repeat(const Layout &layout, llvm::StringRef axis,
                              int64_t count, std::optional<unsigned> dim);

/// The inverse step: the tile that the first of `count` equal groups of numbers
/// on `axis` holds, as one warpgroup or CTA sees it. Refused where the groups
/// do not hold whole parts of the tile, one after the other.
llvm::Expected<Layout> getPart(const Layout &layout, llvm::StringRef axis,
                               int64_t count);

/// A tile of tiles: `outer` says where whole copies of `inner`'s tile lie. On
/// each axis the digits of `inner` run faster.
llvm::Expected<Layout> product(const Layout &inner, const Layout &outer);

/// The layout of the tile without `dim`, where a reduction over `dim` leaves
/// its result if all places take part: whoever held some element of a line
/// along `dim` holds the result.
llvm::Expected<Layout> sliceDim(const Layout &layout, unsigned dim);

/// Adds a dimension of extent 1 before `dim`.
llvm::Expected<Layout> insertDim(const Layout &layout, unsigned dim);

/// Dimension i of the result is dimension `order[i]` of `layout`.
llvm::Expected<Layout> permuteDims(const Layout &layout,
                                   llvm::ArrayRef<unsigned> order);

/// Without the numbers of `axis` that hold what lower numbers hold at the same
/// place otherwise: after a reduction, one register for each result.
llvm::Expected<Layout> dropDuplicates(const Layout &layout,
                                      llvm::StringRef axis);

/// The tile held by `count` numbers of `axis` alone: what those beyond held is
/// held by further numbers of `other`, at the same place otherwise, without
/// duplicates. So half as many warps hold in registers what all of them did.
llvm::Expected<Layout> fold(const Layout &layout, llvm::StringRef axis,
                            int64_t count, llvm::StringRef other);

/// The name of the axis that stands for a dimension: d0, d1, …
std::string getDimAxis(unsigned dim);

/// From coordinates (axes d0, d1, …) to places, whose dimensions are the axes
/// of `layout` in order. For bijective layouts.
llvm::Expected<Layout> invert(const Layout &layout);

/// `outer` after `inner`: the dimensions of `inner` are the axes d0, d1, … of
/// `outer`. `compose(source, *invert(destination))` says for each place of
/// `source` where its element goes.
llvm::Expected<Layout> compose(const Layout &inner, const Layout &outer);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_ALGEBRA_H
