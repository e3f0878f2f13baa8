//===- SelectionGuards.h - Ops that cannot be selected ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's NVPTX backend ends the process at an operation for which it has
// neither an instruction nor a library function. A table contains the
// operations that a kernel may plausibly contain, so that they are rejected at
// the op, with an alternative. Other such operations also become diagnostics
// (see CodeGen.cpp), but only at the function.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_SELECTIONGUARDS_H
#define TESSERA_TARGET_PTX_SELECTIONGUARDS_H

#include "tessera/Support/LLVM.h"

namespace tessera::ptx {

/// Reports every op of the module that is known not to be selectable. Fails if
/// there is one.
LogicalResult checkSelectable(ModuleOp module);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_SELECTIONGUARDS_H
