//===- ChunkAlignment.h - Vectors relative to chunks ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of the vectors of a thread relative to aligned chunks of their
// size. Vectors at a distance of a multiple of chunks have the same relative
// position and share addresses. Their loads can be in flight together. With an
// address for each vector, the addresses would take the registers of the loads.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_CHUNKALIGNMENT_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_CHUNKALIGNMENT_H

#include "GlobalAccess.h"

namespace tessera::sm {

struct ChunkPlace {
  /// The address of the vector is `base`, which vectors share, plus `bytes`.
  Value base;
  int64_t bytes;
  /// The number of bytes of that address past a multiple of a chunk, an i32.
  Value shift;
};

/// Returns the places of the vectors of `access`, in the order of registers.
SmallVector<ChunkPlace> emitChunkPlaces(OpBuilder &builder, Location loc,
                                        GlobalAccess &access);

/// Emits `pointer` plus `bytes`, an i32.
Value emitMoved(OpBuilder &builder, Location loc, Value pointer, Value bytes);
Value emitMoved(OpBuilder &builder, Location loc, Value pointer, int64_t bytes);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_CHUNKALIGNMENT_H
