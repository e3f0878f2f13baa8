//===- ProgramSlices.h - Dependences on axes of the grid --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backward slices lead from the position, the condition or the value of a store
// to the axes of the grid.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_PROGRAMSLICES_H
#define TESSERA_FRONTEND_PROGRAMSLICES_H

#include "KernelContext.h"

#include "llvm/ADT/SetVector.h"

namespace tessera::frontend {

/// Returns all values from which `values` are computed, themselves included.
llvm::SetVector<Value> getSlice(ValueRange values);

/// An axis of the grid, and its argument in the kernel.
struct GridAxis {
  const Axis *axis;
  Value argument;
};

/// Returns the axes with more than one program.
SmallVector<GridAxis> getGridAxes(const KernelContext &context,
                                  tile::KernelOp kernel);

/// Returns the axes, of these, on which neither the `indices` of an access nor
/// its conditions depend.
SmallVector<GridAxis> getRepeatedAxes(const KernelContext &context,
                                      Operation *access, ValueRange indices);
inline SmallVector<GridAxis> getRepeatedAxes(const KernelContext &context,
                                             tile::StoreOp store) {
  return getRepeatedAxes(context, store, store.getIndices());
}

/// Checks whether atomic operations order the programs, as those of a lock, or
/// barriers of the grid do.
bool hasOrderedPrograms(tile::KernelOp kernel);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_PROGRAMSLICES_H
