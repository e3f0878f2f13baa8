//===- OutsideLoads.h - Visible loads outside of tensors --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load outside of a tensor yields zero, which is hard to see in a result.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_OUTSIDELOADS_H
#define TESSERA_TOOLS_OUTSIDELOADS_H

#include "mlir/IR/BuiltinOps.h"

#include "tessera/Support/LLVM.h"

namespace tessera::tools {

/// Lets elements outside of a tensor be NaN, or the smallest integer, in loads
/// that have no `fill`.
void fillOutsideLoads(ModuleOp module);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_OUTSIDELOADS_H
