//===- UnstagedLoads.h - Loads that are waited for --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is said of loads in loops of products, and beside them, that no other
// role brings. A tile, or rows that are gathered, cost a factor in a loop: who
// computes waits for them in each step. Of a row, which comes beside the
// products, and of what is needed once, it is a remark.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNSTAGEDLOADS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNSTAGEDLOADS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Says that `load`, in a loop of products or beside one, stays where it is,
/// and why; `remarks` says whether remarks are wanted.
void sayUnstaged(LoadOp load, const Twine &why, bool remarks);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNSTAGEDLOADS_H
