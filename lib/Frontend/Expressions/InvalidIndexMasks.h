//===- InvalidIndexMasks.h - Positions that are none ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `y[index[t], :] = x[t, :]` with a partial tile `t`: what lies outside of `t`
// reads as zero, which is a number, but no position. So the elements of tiles
// remember whether they are positions, as docs/language.md says (Indexing):
//
//   a load without `fill`       those that are there
//   the indices of a range      those below its limit
//   elementwise operations      those for which all operands are
//   a selection                 that of the condition and of what it chooses
//   `var`s in loops and `if`s   what is there in this run
//   all else                    all
//
// Only tiles of positions need to know. So the kernel is generated without, and
// what its gathers and scatters ask for is added: position -1, which no tensor
// has, where there is none.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_INVALIDINDEXMASKS_H
#define TESSERA_FRONTEND_INVALIDINDEXMASKS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::frontend {

/// Masks the positions of all gathers and scatters in `kernel`.
void maskPositions(tile::KernelOp kernel);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_INVALIDINDEXMASKS_H
