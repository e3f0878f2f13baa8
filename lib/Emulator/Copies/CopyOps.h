//===- CopyOps.h - Asynchronous copies --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_COPIES_COPYOPS_H
#define TESSERA_LIB_EMULATOR_COPIES_COPYOPS_H

#include "Machine/Decoder.h"
#include "Memory/Memory.h"

namespace tessera::emu {

/// Decodes cp.async, by threads.
llvm::Error decodeThreadCopy(Decoder &decoder);
/// Decodes cp.async.bulk, without tensors.
llvm::Error decodeBulkCopy(Decoder &decoder);
/// Decodes cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
llvm::Error decodeTensorCopy(Decoder &decoder);

/// Decodes commit_group and wait_group of either kind of groups.
llvm::Error decodeCommit(Decoder &decoder, bool isBulk);
llvm::Error decodeWaitGroup(Decoder &decoder, bool isBulk);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_COPIES_COPYOPS_H
