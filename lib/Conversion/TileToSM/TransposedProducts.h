//===- TransposedProducts.h - Products computed the other way ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of the tensor cores has 64 rows, and from 8 columns on. So a
// product of few rows and many columns is computed as its transpose,
// (b^T a^T)^T. Operands are read either way at no cost, and a transposed tile
// in registers is the same registers.
//
// Rows may also repeat in the 64 of an instruction, which wastes most of it,
// but leaves each row to one warp. That is better where rows are reduced, or
// multiplied again, as in attention; where both are possible, the transpose is
// for products of two loads that only add up.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_TRANSPOSEDPRODUCTS_H
#define TESSERA_LIB_CONVERSION_TILETOSM_TRANSPOSEDPRODUCTS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::sm {

/// Rewrites the products of `kernel` that are better computed as their
/// transpose, with a remark for each if `remarks`. Loops carry their sums
/// transposed.
void transposeProducts(tile::KernelOp kernel, bool remarks);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_TRANSPOSEDPRODUCTS_H
