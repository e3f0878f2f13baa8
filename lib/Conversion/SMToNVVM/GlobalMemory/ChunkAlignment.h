//===- ChunkAlignment.h - Vectors beside aligned chunks ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the vectors of a thread lie beside chunks of their size that are
// aligned. Vectors a multiple of chunks apart lie alike, and share addresses:
// loads from them are under way together, where addresses of their own would
// take the registers for that.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_CHUNKALIGNMENT_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_CHUNKALIGNMENT_H

#include "GlobalAccess.h"

namespace tessera::sm {

struct ChunkPlace {
  /// The address of the vector is `base`, which vectors share, and `bytes`.
  Value base;
  int64_t bytes;
  /// The bytes of that address past a multiple of a chunk, an i32.
  Value shift;
};

/// By vector of `access`, in the order of registers.
SmallVector<ChunkPlace> emitChunkPlaces(OpBuilder &builder, Location loc,
                                        GlobalAccess &access);

/// `pointer` moved by `bytes`, an i32.
Value emitMoved(OpBuilder &builder, Location loc, Value pointer, Value bytes);
Value emitMoved(OpBuilder &builder, Location loc, Value pointer, int64_t bytes);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_CHUNKALIGNMENT_H
