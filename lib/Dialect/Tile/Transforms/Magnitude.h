//===- Magnitude.h - How large numbers may be -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor that is moved meets numbers that it did not meet before. Where they
// are huge (a mask of -3.4e38 that a tensor holds, a row of -1e30), the product
// overflows, or its rounding is larger than all that an exponent distinguishes.
// This file says where that may be.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MAGNITUDE_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MAGNITUDE_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// Whether elements of `value`, a scalar or a tile, may be finite and still too
/// large to be multiplied by a small constant. Numbers that memory gives in
/// f32 or bf16 may be; integers, f16, f8, roots, logarithms and bounded
/// functions may not. Matrix products and scalar parameters are taken to be
/// moderate, and so is what sums and products make of moderate numbers.
/// Constants are not counted either: whoever scales one sees its value.
bool mayBeHuge(Value value);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_MAGNITUDE_H
