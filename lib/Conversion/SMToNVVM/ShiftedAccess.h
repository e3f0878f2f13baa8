//===- ShiftedAccess.h - Vectors that start anywhere ------------*- C++ -*-===//
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
//   lacks of it, it gets from the next lane.
//
// Vectors that reach beyond a row, or whose chunks do, are accessed element by
// element.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_SHIFTEDACCESS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_SHIFTEDACCESS_H

#include "GlobalAccess.h"

namespace tessera::sm {

/// Whether vectors of `access` are long enough to gain from shifts.
bool canShiftLoads(const GlobalAccess &access);
bool canShiftStores(const GlobalAccess &access);

/// Loads the elements of all registers, of type `element`, from a tensor that
/// nobody writes; those that are not valid are `fill`, in its storage type.
/// `pack` makes of them, in the arm of a branch, what is returned.
using PackElements =
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ArrayRef<Value>)>;
SmallVector<Value> emitVectorLoads(OpBuilder &builder, Location loc,
                                   GlobalAccess &access, Type element,
                                   Value fill, PackElements pack);

/// Stores the vector that begins in register `reg`, if `isHolder`, an i1 or
/// null. All lanes of a warp take part.
void emitShiftedStore(OpBuilder &builder, Location loc, GlobalAccess &access,
                      int64_t reg, ValueRange elements, Value lane,
                      Value isHolder);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_SHIFTEDACCESS_H
