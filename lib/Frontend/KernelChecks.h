//===- KernelChecks.h - Errors of kernels before a call ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds errors that no value of a compile-time parameter avoids.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_KERNELCHECKS_H
#define TESSERA_FRONTEND_KERNELCHECKS_H

#include "Parser/AST.h"

#include "tessera/Support/LLVM.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tessera::frontend {

/// Checks the kernels of the main buffer; `program` is its syntax tree. Reports
/// the errors that do not depend on compile-time parameters.
LogicalResult checkKernels(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                           const Program &program);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_KERNELCHECKS_H
