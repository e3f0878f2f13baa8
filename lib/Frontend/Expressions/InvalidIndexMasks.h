//===- InvalidIndexMasks.h - Masks of invalid positions ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `y[index[t], :] = x[t, :]` with a partial tile `t`: elements outside of `t`
// read as zero, which must not be used as a position. So each element of a tile
// has a validity as a position, as docs/language.md says (Indexing):
//
//   a load without `fill`       valid if in bounds
//   the indices of a range      valid below the limit
//   elementwise operations      valid if all operands are valid
//   `where`                     valid if the condition and the selected operand
//                               are valid
//   `var`s in loops and `if`s   validity of the current value
//   other operations            always valid
//
// Only tiles of positions need masks. So the kernel is generated without masks,
// and this step adds those of gathers and scatters: an invalid position becomes
// -1, which no tensor has.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_INVALIDINDEXMASKS_H
#define TESSERA_FRONTEND_INVALIDINDEXMASKS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::frontend {

/// Marks the operation that computes a tile of positions from tiles of any
/// elements, as a step of a sorting network. Without it, elementwise
/// operations would pass on that an operand is no position.
void markPositions(Value tile);

/// Marks the selection of a `where`. Other selections compute one operation,
/// such as a shift by more than all bits, and need all of their operands.
void markChoice(arith::SelectOp select);

/// Masks the positions of all gathers and scatters in `kernel`.
void maskPositions(tile::KernelOp kernel);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_INVALIDINDEXMASKS_H
