//===- Outlining.h - Parts of large functions -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOHOST_OUTLINING_H
#define TESSERA_LIB_CONVERSION_TILETOHOST_OUTLINING_H

#include "tessera/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tessera::host {

/// Moves parts of a function with many loops to private functions before it.
void outlineParts(mlir::func::FuncOp function);

} // namespace tessera::host

#endif // TESSERA_LIB_CONVERSION_TILETOHOST_OUTLINING_H
