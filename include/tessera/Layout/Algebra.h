//===- Algebra.h - Operations on layouts ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on layouts that return layouts. An operation whose result is not a
// layout returns an error with the reason.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_ALGEBRA_H
#define TESSERA_LAYOUT_ALGEBRA_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// Repeats the tile `count` times along `dim`, held by `count` times as many
/// places along `axis`. Without `dim`, the new places hold the same tile: a
/// broadcast.
llvm::Expected<Layout> repeat(const Layout &layout, llvm::StringRef axis,
                              int64_t count, std::optional<unsigned> dim);

/// The inverse of `repeat`: returns the tile that the first of `count` equal
/// groups of numbers on `axis` holds, such as one warpgroup or CTA. Fails
/// unless the groups hold consecutive parts of the tile.
llvm::Expected<Layout> getPart(const Layout &layout, llvm::StringRef axis,
                               int64_t count);

/// Returns a tile of tiles: `outer` defines the positions of whole copies of
/// the tile of `inner`. On each axis, the digits of `inner` are the faster
/// ones.
llvm::Expected<Layout> product(const Layout &inner, const Layout &outer);

/// Removes the dimension `dim`. The result is the layout of a reduction over
/// `dim` in which all places take part: each holder of an element of a line
/// holds the result of that line.
llvm::Expected<Layout> sliceDim(const Layout &layout, unsigned dim);

/// Adds a dimension of extent 1 before `dim`.
llvm::Expected<Layout> insertDim(const Layout &layout, unsigned dim);

/// Permutes the dimensions: dimension i of the result is dimension `order[i]`
/// of `layout`.
llvm::Expected<Layout> permuteDims(const Layout &layout,
                                   llvm::ArrayRef<unsigned> order);

/// Removes the numbers of `axis` that hold the same elements as lower numbers
/// of `axis`. After a reduction, one register for each result is left.
llvm::Expected<Layout> dropDuplicates(const Layout &layout,
                                      llvm::StringRef axis);

/// Restricts `axis` to its first `count` numbers. The elements of the other
/// numbers move to new numbers of `other`, without duplicates. For example,
/// half of the warps then hold the tile in twice as many registers.
llvm::Expected<Layout> fold(const Layout &layout, llvm::StringRef axis,
                            int64_t count, llvm::StringRef other);

/// Returns the name of the axis of a dimension: d0, d1, …
std::string getDimAxis(unsigned dim);

/// Returns the inverse of a bijective layout: a layout from coordinates (axes
/// d0, d1, …) to places. Its dimensions are the axes of `layout` in order.
llvm::Expected<Layout> invert(const Layout &layout);

/// Returns `outer` after `inner`; the dimensions of `inner` are the axes d0,
/// d1, … of `outer`. `compose(source, *invert(destination))` is the destination
/// of the element at each place of `source`.
llvm::Expected<Layout> compose(const Layout &inner, const Layout &outer);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_ALGEBRA_H
