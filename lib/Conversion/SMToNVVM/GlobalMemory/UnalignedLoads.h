//===- UnalignedLoads.h - Unaligned vectors ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows without an aligned pitch (50257 elements) start anywhere. Element by
// element, their loads and stores would be bound by the number of accesses
// rather than by bytes. Instead:
//
// - A vector is loaded as the two aligned chunks that it overlaps, and is
//   shifted out of them, unless it is aligned itself.
// - Adjacent lanes hold consecutive vectors. Each lane stores the chunk that
//   begins in its own vector, and gets the missing elements from the next lane.
//   The lanes store the elements at both ends together, one element each.
//
// Vectors that reach beyond a row, or whose chunks do, are loaded element by
// element. If a warp has a vector that reaches beyond a row, it stores
// elements.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_UNALIGNEDLOADS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_UNALIGNEDLOADS_H

#include "GlobalAccess.h"

namespace tessera::sm {

/// Checks whether vectors of `access` are long enough to gain from shifts.
bool canShiftLoads(const GlobalAccess &access);
bool canShiftStores(const GlobalAccess &access);

/// Loads the elements of all registers, of type `element`, from a tensor that
/// no thread writes. Invalid elements are `fill`, in its storage type.
/// `invariant` is as in emitGlobalLoad.
SmallVector<Value> emitVectorLoads(OpBuilder &builder, Location loc,
                                   GlobalAccess &access, Type element,
                                   Value fill, bool invariant);

/// Stores the vectors that begin in `registers` if `isHolder`, an i1 or null.
/// `elements` are their elements. All lanes of a warp participate.
void emitShiftedStores(OpBuilder &builder, Location loc, GlobalAccess &access,
                       ArrayRef<int64_t> registers, ValueRange elements,
                       Value lane, Value isHolder);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_UNALIGNEDLOADS_H
