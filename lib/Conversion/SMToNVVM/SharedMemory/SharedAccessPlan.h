//===- SharedAccessPlan.h - Registers and shared memory ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_SHAREDACCESSPLAN_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_SHAREDACCESSPLAN_H

#include "Kernel/Machine.h"
#include "tessera/Layout/SharedAccess.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tessera::sm {

/// The instructions that copy between a tile in registers and a tile in shared
/// memory.
struct SharedAccessPlan {
  SharedAccessPlan(RankedTensorType tile, SmemType shared);

  /// Emits the addresses of the accesses that a thread makes.
  SmallVector<Value> emitAddresses(OpBuilder &builder, Location loc,
                                   const ThreadGroup &threads,
                                   Value base) const;

  /// Writes `registers`, the elements of a thread, to these addresses.
  void emitStores(OpBuilder &builder, Location loc, ArrayRef<Value> addresses,
                  ValueRange registers) const;

  NVVM::MMALayout getMatrixLayout() const {
    return matrices->isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  }

  RankedTensorType tile;
  SmemType shared;
  /// Matrices for stmatrix and ldmatrix, if they pay off.
  std::optional<layout::MatrixAccess> matrices;
  /// Otherwise, the number of elements per access.
  int64_t width = 1;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_SHAREDACCESSPLAN_H
