//===- Channels.h - What rings have become ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After sm-expand-rings a ring is stages and barriers that have one number,
// that of their channel.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_CHANNELS_H
#define TESSERA_DIALECT_SM_IR_CHANNELS_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

/// A barrier that the channel does not have is null.
struct Channel {
  MbarrierAllocOp full, empty;
  SmallVector<StagesAllocOp> stages;

  MbarrierAllocOp &getBarrier(Side side) {
    return side == Side::Full ? full : empty;
  }
};

/// The channels of `kernel`, by their numbers.
llvm::MapVector<int64_t, Channel> findChannels(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_CHANNELS_H
