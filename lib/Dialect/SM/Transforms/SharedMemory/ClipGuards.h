//===- ClipGuards.h - Clips where there is something to clip ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `sm.clip` has mostly nothing to do, and then needs no barrier: a condition is
// made of its limit, and a fence and a barrier stand in it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_CLIPGUARDS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_CLIPGUARDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Lets the clips of `kernel`, and what must follow them, run only where there
/// is something to do. Clips with nothing between them share a fence and a
/// barrier. Returns the conditions, each of which ends with these two.
SmallVector<scf::IfOp> guardClips(KernelOp kernel);

/// Of the fence and the barrier in each of `guards`, takes away what the op
/// after it does again, once all of them are placed.
void eraseDoubledInGuards(ArrayRef<scf::IfOp> guards);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_CLIPGUARDS_H
