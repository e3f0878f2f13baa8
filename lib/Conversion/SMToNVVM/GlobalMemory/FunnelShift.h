//===- FunnelShift.h - Bytes out of two aligned chunks ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_FUNNELSHIFT_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_FUNNELSHIFT_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Builders.h"

namespace tessera::sm {

/// Emits the chunk from byte `shift`, an i32, of `words` on: 32-bit words of
/// two chunks of 8 or 16 bytes. `shift` is less than a chunk, and a multiple of
/// `elementBytes`.
SmallVector<Value> emitShiftedWords(OpBuilder &builder, Location loc,
                                    ArrayRef<Value> words, Value shift,
                                    int64_t elementBytes);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_GLOBALMEMORY_FUNNELSHIFT_H
