//===- ConflictFreeStores.h - Stores without conflicts ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a tile in registers to shared memory. Under a swizzle, two rows of
// pairs of 32-bit elements would conflict in each bank, so half of the lanes
// write them in another order (AccessToggle).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_CONFLICTFREESTORES_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_CONFLICTFREESTORES_H

#include "SharedAccessPlan.h"
#include "tessera/Layout/AccessToggle.h"

namespace tessera::sm {

class ConflictFreeStores {
public:
  /// `threads` hold `tile`.
  ConflictFreeStores(OpBuilder &builder, Location loc,
                     const ThreadGroup &threads, RankedTensorType tile,
                     SmemType shared);

  SmallVector<Value> emitAddresses(OpBuilder &builder, Location loc,
                                   const ThreadGroup &threads,
                                   Value base) const {
    return plan.emitAddresses(builder, loc, threads, base);
  }
  void emitStores(OpBuilder &builder, Location loc, ArrayRef<Value> addresses,
                  ValueRange registers) const;

private:
  std::optional<layout::AccessToggle> toggle;
  SharedAccessPlan plan;
  /// Whether the toggle applies to this thread, an i1.
  Value isToggled;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_SHAREDMEMORY_CONFLICTFREESTORES_H
