//===- RegisterTile.h - Layouts of tiles in registers -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts that instructions prescribe (wgmma fragments, from the PTX ISA,
// "Register fragments for wgmma") and the one that suits vector accesses to
// memory. Warps of a warpgroup are numbered within the tile's warps: warp
// 4g+i is warp i of warpgroup g.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_REGISTERTILE_H
#define TESSERA_LAYOUT_REGISTERTILE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// Into how many parts warpgroups split the rows and the columns of a product.
/// Warpgroup w has part w % rows of the rows and part w / rows of the columns.
struct ProductSplit {
  int64_t rows = 1, columns = 1;
};

/// The split of a product of `m` rows: by rows, or, where there are fewer
/// blocks of 64 than warpgroups and these are a multiple, each block by
/// columns.
ProductSplit getProductSplit(int64_t m, int64_t warpgroups);

/// The accumulator of an `m`x`n` product (wgmma m64nNk16 and its kin), split
/// over `warpgroups`; each of them holds m64 blocks one after the other.
/// 1, 2, 4, … 32 rows repeat: the 64 rows of the instruction, in each
/// warpgroup, are copies of them. `n` beyond 256 is several instructions wide.
llvm::Expected<Layout> getAccumulator(int64_t m, int64_t n,
                                      int64_t warpgroups = 1);

/// The A operand in registers, for elements of 1, 2 or 4 bytes, K steps of 32
/// bytes one after the other; of products that are split by rows alone.
llvm::Expected<Layout> getOperandA(int64_t m, int64_t k, int64_t elementBytes,
                                   int64_t warpgroups = 1);

/// A tile for vector accesses to rows: `vector` elements to a register group,
/// lanes along the rows first. Lanes and warps that the tile has no work for
/// hold copies.
llvm::Expected<Layout> getBlocked(llvm::ArrayRef<int64_t> shape, int64_t vector,
                                  int64_t warps);

/// A line of results of a reduction of `layout` over `dim`: one register for
/// each result, copies in the lanes and warps that took part.
llvm::Expected<Layout> getReduced(const Layout &layout, unsigned dim);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_REGISTERTILE_H
