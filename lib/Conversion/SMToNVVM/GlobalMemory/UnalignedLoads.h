//===- UnalignedLoads.h - Vectors that start anywhere -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows whose pitch is a multiple of nothing (50257 elements) start anywhere.
// Loaded and stored element by element they would be bound by the number of
// accesses, not by their bytes. Instead
//
// - a vector is loaded by the two aligned chunks that it lies in, and shifted
//   out of them, unless it is aligned itself;
// - of vectors that follow each other in memory and are held by neighbours
//   among lanes, each lane stores the chunk that begins in its own one. What it
//   lacks of it, it gets from the next lane. What is left at both ends, the
//   lanes store together, an element each.
//
// Vectors that reach beyond a row, or whose chunks do, are loaded element by
// element; if a warp has one that reaches beyond a row, it stores elements.
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
/// nobody writes; those that are not valid are `fill`, in its storage type.
/// `invariant` as for emitGlobalLoad.
SmallVector<Value> emitVectorLoads(OpBuilder &builder, Location loc,
                                   GlobalAccess &access, Type element,
                                   Value fill, bool invariant);

/// Stores the vectors that begin in `registers`, of those that `elements` are
/// in, if `isHolder`, an i1 or null. All lanes of a warp take part.
void emitShiftedStores(OpBuilder &builder, Location loc, GlobalAccess &access,
                       ArrayRef<int64_t> registers, ValueRange elements,
                       Value lane, Value isHolder);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_UNALIGNEDLOADS_H
