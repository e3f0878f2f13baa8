//===- CopyOps.h - Asynchronous copies --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_COPYOPS_H
#define TESSERA_LIB_EMULATOR_COPYOPS_H

#include "Decoder.h"
#include "Memory.h"

namespace tessera::emu {

/// cp.async of threads.
llvm::Error decodeThreadCopy(Decoder &decoder);
/// cp.async.bulk and cp.reduce.async.bulk, without tensors.
llvm::Error decodeBulkCopy(Decoder &decoder);
/// The same of boxes of tensors.
llvm::Error decodeTensorCopy(Decoder &decoder);

/// commit_group and wait_group of either kind of groups.
llvm::Error decodeCommit(Decoder &decoder, bool isBulk);
llvm::Error decodeWaitGroup(Decoder &decoder, bool isBulk);

/// A copy to shared memory whose bytes arrive at a barrier: the barrier in the
/// CTA that has the copy's target, which is checked now.
Outcome findCompletion(Warp &warp, Space space, uint64_t address, int lane,
                       Located &barrier);
/// Completes there, as the effect of copy `number` of `op`.
Outcome complete(Warp &warp, const Op &op, const Located &barrier,
                 uint64_t bytes, uint32_t number);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_COPYOPS_H
