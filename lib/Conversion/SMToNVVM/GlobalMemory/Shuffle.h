//===- Shuffle.h - Values of other lanes ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exchanges between the lanes of a warp. All lanes participate.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_SHUFFLE_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_SHUFFLE_H

#include "tessera/Support/LLVM.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Emits a shuffle that returns the `value`, of 32 or 64 bits, of another lane:
/// the one that `lane`, an i32, names by `kind`.
Value emitShuffle(OpBuilder &builder, Location loc, NVVM::ShflKind kind,
                  Value value, Value lane);

/// Emits whether any of `conditions`, each an i1, is true in any lane.
Value emitAny(OpBuilder &builder, Location loc, ValueRange conditions);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_SHUFFLE_H
