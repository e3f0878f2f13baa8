//===- VectorAccess.h - Accesses of one to 16 bytes -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One access of a thread to global or shared memory: 1 to 16 bytes, under a
// predicate.
// Predicated accesses are inline assembly: a branch around each of them would
// cost more than the access, and nothing else keeps LLVM from making one.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_VECTORACCESS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_VECTORACCESS_H

#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Elements (of type `element`, in storage types) as 32-bit words; as one i16
/// if they have less than 4 bytes.
SmallVector<Value> packWords(OpBuilder &builder, Location loc,
                             ValueRange elements);
SmallVector<Value> unpackWords(OpBuilder &builder, Location loc, Type element,
                               int64_t count, ValueRange words);

/// Checks whether what `op` loads from `global` may be loaded as memory that
/// does not change during the launch (ld.global.nc). The launch before may
/// write it until the wait for that launch, above which ptxas moves such loads
/// within a block; those of a loop it does not.
bool canLoadAsConstant(Operation *op, tile::GlobalType global);

/// Loads `count` elements. Where `predicate` (null for true) is false, they are
/// `fill`, in its storage type. `invariant` as above.
SmallVector<Value> emitGlobalLoad(OpBuilder &builder, Location loc,
                                  Type element, Value pointer, int64_t count,
                                  Value predicate, Value fill, bool invariant);

void emitGlobalStore(OpBuilder &builder, Location loc, Value pointer,
                     ValueRange elements, Value predicate);

/// Adds to memory; each element by itself is atomic.
void emitGlobalAdd(OpBuilder &builder, Location loc, Type element,
                   Value pointer, ValueRange elements, Value predicate);

/// The same in shared memory, at `address`, an i32, plus `offset` bytes. Where
/// `predicate` is false, the elements are `otherwise`.
SmallVector<Value> emitSharedLoad(OpBuilder &builder, Location loc,
                                  Type element, Value address, int64_t offset,
                                  ValueRange otherwise, Value predicate);
void emitSharedStore(OpBuilder &builder, Location loc, Value address,
                     int64_t offset, ValueRange elements, Value predicate);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_VECTORACCESS_H
