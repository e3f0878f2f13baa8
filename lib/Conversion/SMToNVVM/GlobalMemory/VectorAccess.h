//===- VectorAccess.h - Accesses of one to 16 bytes -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One access of a thread to global or shared memory: 1 to 16 bytes, under a
// predicate. Predicated accesses are inline assembly. Otherwise, LLVM would
// create a branch around each of them, which costs more than the access.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_VECTORACCESS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_VECTORACCESS_H

#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Packs elements (of type `element`, in storage types) into 32-bit words; into
/// one i16 if they have less than 4 bytes.
SmallVector<Value> packWords(OpBuilder &builder, Location loc,
                             ValueRange elements);
SmallVector<Value> unpackWords(OpBuilder &builder, Location loc, Type element,
                               int64_t count, ValueRange words);

/// Checks whether `op` may load from `global` as from memory that does not
/// change during the launch (ld.global.nc). The previous launch may write it
/// until the wait for that launch. ptxas moves such loads above the wait within
/// a block, but not out of a loop.
bool canLoadAsConstant(Operation *op, tile::GlobalType global);

/// Loads `count` elements. If `predicate` (null for true) is false, they are
/// `fill`, in its storage type. `invariant` is the result of
/// `canLoadAsConstant`.
SmallVector<Value> emitGlobalLoad(OpBuilder &builder, Location loc,
                                  Type element, Value pointer, int64_t count,
                                  Value predicate, Value fill, bool invariant);

void emitGlobalStore(OpBuilder &builder, Location loc, Value pointer,
                     ValueRange elements, Value predicate);

/// The kind and the order of an atomic operation.
struct AtomicForm {
  tile::AtomicKind kind;
  tile::AtomicOrder order = tile::AtomicOrder::Relaxed;
};

/// Adds to memory. The addition of each element is atomic.
void emitGlobalAdd(OpBuilder &builder, Location loc, tile::AtomicOrder order,
                   Type element, Value pointer, ValueRange elements,
                   Value predicate);

/// Replaces an element of memory atomically. `expected` is for
/// AtomicKind::Cas.
void emitGlobalReplace(OpBuilder &builder, Location loc, AtomicForm form,
                       Type element, Value pointer, Value value, Value expected,
                       Value predicate);
/// Does the same and returns the element before. If `predicate` is false, it is
/// zero.
Value emitGlobalFetch(OpBuilder &builder, Location loc, AtomicForm form,
                      Type element, Value pointer, Value value, Value expected,
                      Value predicate);

/// Replaces an integer in shared memory at `address`, an i32.
void emitSharedReplace(OpBuilder &builder, Location loc, tile::AtomicKind kind,
                       Type element, Value address, Value value,
                       Value predicate);

/// Loads from shared memory, at `address`, an i32, plus `offset` bytes. If
/// `predicate` is false, the elements are `otherwise`.
SmallVector<Value> emitSharedLoad(OpBuilder &builder, Location loc,
                                  Type element, Value address, int64_t offset,
                                  ValueRange otherwise, Value predicate);
void emitSharedStore(OpBuilder &builder, Location loc, Value address,
                     int64_t offset, ValueRange elements, Value predicate);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_VECTORACCESS_H
