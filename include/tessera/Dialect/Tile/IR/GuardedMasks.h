//===- GuardedMasks.h - Mark of conditional masks ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A discardable attribute, shared by tile-guard-masks and sm-unswitch-loops.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_GUARDEDMASKS_H
#define TESSERA_DIALECT_TILE_IR_GUARDEDMASKS_H

#include "llvm/ADT/StringRef.h"

namespace tessera::tile {

/// On an `scf.if` with results: the `then` region only yields values from
/// outside, and the `else` region masks them. Where the condition holds, all
/// masks are true, so both regions yield the same.
constexpr llvm::StringLiteral kGuardedMasksAttrName = "tile.guarded_masks";

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_GUARDEDMASKS_H
