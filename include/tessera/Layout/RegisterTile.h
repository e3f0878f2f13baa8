//===- RegisterTile.h - Layouts of tiles in registers -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts that instructions require (wgmma fragments, from the PTX ISA,
// "Register fragments for wgmma") and the blocked layout for vector accesses to
// memory. Warps of a warpgroup are numbered within the tile's warps: warp 4g+i
// is warp i of warpgroup g.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_REGISTERTILE_H
#define TESSERA_LAYOUT_REGISTERTILE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// The numbers of parts into which warpgroups split the rows (M) and the
/// columns (N) of a product. Warpgroup w has part w % rows of the rows and part
/// w / rows of the columns.
struct ProductSplit {
  int64_t rows = 1, columns = 1;
};

/// Returns the split of a product of `m` rows. It is along M, unless there are
/// fewer blocks of 64 rows than warpgroups and the blocks divide the
/// warpgroups: each block is then split along N.
ProductSplit getProductSplit(int64_t m, int64_t warpgroups);

/// Returns the layout of the accumulator of an `m`x`n` product (wgmma m64nNk16
/// and similar), split over `warpgroups`. Each warpgroup holds m64 blocks one
/// after the other. 1, 2, 4, … 32 rows repeat: the 64 rows of the instruction,
/// in each warpgroup, are copies. An `n` above 256 is several instructions
/// wide.
llvm::Expected<Layout> getAccumulator(int64_t m, int64_t n,
                                      int64_t warpgroups = 1);

/// Returns the layout of the A operand in registers, for elements of 1, 2 or 4
/// bytes, with K steps of 32 bytes one after the other. Only for products that
/// are split along M.
llvm::Expected<Layout> getOperandA(int64_t m, int64_t k, int64_t elementBytes,
                                   int64_t warpgroups = 1);

/// Returns the blocked layout for vector accesses to rows: `vector` elements to
/// a register group, lanes along the rows first. Lanes and warps without work
/// hold copies.
llvm::Expected<Layout> getBlocked(llvm::ArrayRef<int64_t> shape, int64_t vector,
                                  int64_t warps);

/// Returns the layout of the results of a reduction over `dim`: one register
/// for each result, copies in the lanes and warps that took part.
llvm::Expected<Layout> getReduced(const Layout &layout, unsigned dim);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_REGISTERTILE_H
