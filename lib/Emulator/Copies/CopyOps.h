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

/// cp.async of threads.
llvm::Error decodeThreadCopy(Decoder &decoder);
/// cp.async.bulk and cp.reduce.async.bulk, without tensors.
llvm::Error decodeBulkCopy(Decoder &decoder);
/// The same of boxes of tensors.
llvm::Error decodeTensorCopy(Decoder &decoder);

/// commit_group and wait_group of either kind of groups.
llvm::Error decodeCommit(Decoder &decoder, bool isBulk);
llvm::Error decodeWaitGroup(Decoder &decoder, bool isBulk);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_COPIES_COPYOPS_H
