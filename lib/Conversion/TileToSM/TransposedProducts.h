//===- TransposedProducts.h - Products computed transposed ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of the tensor cores has 64 rows, and 8 or more columns. A
// product of few rows and many columns is therefore computed as its transpose,
// (b^T a^T)^T. Operands can be read in both orders at no cost, and a transposed
// tile in registers has the same registers.
//
// Alternatively, rows repeat to fill the 64 rows of an instruction. That wastes
// most of the instruction, but leaves each row to one warp. Repetition is
// better if rows are reduced, or multiplied again, as in attention. If both are
// possible, the transpose is used for products of two loads that are only added
// up.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_TRANSPOSEDPRODUCTS_H
#define TESSERA_LIB_CONVERSION_TILETOSM_TRANSPOSEDPRODUCTS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::sm {

/// Rewrites the products of `kernel` that are cheaper as their transpose, with
/// a remark for each if `remarks`. Loops carry their sums transposed.
void transposeProducts(tile::KernelOp kernel, bool remarks);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_TRANSPOSEDPRODUCTS_H
