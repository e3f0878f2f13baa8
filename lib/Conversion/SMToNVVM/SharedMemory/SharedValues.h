//===- SharedValues.h - Elements in shared memory ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_SHAREDVALUES_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_SHAREDVALUES_H

#include "Kernel/LoweringContext.h"

namespace tessera::sm {

/// Writes adjacent elements of a storage type; i1 takes a byte.
void emitSharedStore(OpBuilder &builder, Location loc, Value address,
                     ArrayRef<Value> elements);
SmallVector<Value> emitSharedLoad(OpBuilder &builder, Location loc,
                                  Value address, Type element, int64_t count);

/// Emits the byte offset of an element from the start of a shared tile. `row`
/// counts over all dimensions but the last one, and `column` is in elements;
/// both are i32.
Value emitSharedOffset(OpBuilder &builder, Location loc, SmemType tile,
                       Value row, Value column);

/// Returns the distance in bytes from an element to the element `rows` rows
/// below, if it is equal for all elements; `rows` is positive.
std::optional<int64_t> findRowDistance(SmemType tile, int64_t rows);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_SHAREDVALUES_H
