//===- Exponentials.h - Operands of exponentials ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exponential turns the rounding error of a large number into a factor. This
// file finds the values whose rounding error reaches an exponential.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_EXPONENTIALS_H
#define TESSERA_DIALECT_TILE_IR_EXPONENTIALS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// Checks whether `value` reaches an exponential through sums, selections,
/// branches and products with a uniform factor.
bool feedsExponential(Value value);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_EXPONENTIALS_H
