//===- SelectionGuards.h - What cannot be selected --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's NVPTX backend ends the process when it meets an operation that it has
// neither an instruction nor a library function for. The ones that a kernel may
// plausibly contain are in a table, so that they are refused at the op, with
// the way out. What the table lacks still becomes a diagnostic (see
// CodeGen.cpp), at the function only.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_SELECTIONGUARDS_H
#define TESSERA_TARGET_PTX_SELECTIONGUARDS_H

#include "tessera/Support/LLVM.h"

namespace tessera::ptx {

/// Reports every op of the module that is known not to select, and fails if
/// there is one.
LogicalResult checkSelectable(ModuleOp module);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_SELECTIONGUARDS_H
