//===- Rings.h - Rings after their expansion ------------------------*- C++
//-*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After sm-expand-rings a ring is the slots and barriers that have its number.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_RINGS_H
#define TESSERA_DIALECT_SM_IR_RINGS_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

/// A barrier that the ring does not have is null.
struct Ring {
  MbarrierAllocOp full, empty;
  SmallVector<SlotsAllocOp> slots;

  MbarrierAllocOp &getBarrier(Side side) {
    return side == Side::Full ? full : empty;
  }
};

/// Returns the rings of `kernel`, by their numbers.
llvm::MapVector<int64_t, Ring> findRings(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_RINGS_H
