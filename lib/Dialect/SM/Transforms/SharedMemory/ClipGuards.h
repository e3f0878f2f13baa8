//===- ClipGuards.h - Clips where there is something to clip ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `sm.clip` mostly has no elements to clip, and then needs no barrier. So it is
// guarded by a condition on its limit, with a fence and a barrier inside.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_CLIPGUARDS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_CLIPGUARDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Guards the clips of `kernel`, and the synchronisation that must follow them,
/// by conditions. Clips with nothing between them share a fence and a barrier.
/// Returns the conditions; each ends with these two.
SmallVector<scf::IfOp> guardClips(KernelOp kernel);

/// Of the fence and the barrier in each of `guards`, takes away what the op
/// after it does again, once all of them are placed.
void eraseDoubledInGuards(ArrayRef<scf::IfOp> guards);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_CLIPGUARDS_H
