//===- UnstagedLoads.h - Loads that are waited for --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics for loads in loops of products, or next to them, that no other
// role brings. A tile, or gathered rows, cost a factor in a loop: the computing
// role waits for them in each step, so this is a warning. A row, which overlaps
// the products, or a load that is needed once only causes a remark.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNSTAGEDLOADS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNSTAGEDLOADS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Reports that `load`, in a loop of products or next to one, stays, and why;
/// `remarks` tells whether remarks are wanted.
void sayUnstaged(LoadOp load, const Twine &why, bool remarks);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_UNSTAGEDLOADS_H
