//===- UnusedNames.h - Names that nothing reads -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings of names that are declared, and that nothing reads.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_UNUSEDNAMES_H
#define TESSERA_FRONTEND_UNUSEDNAMES_H

#include "Diagnostics.h"
#include "Parser/AST.h"

#include "tessera/Support/LLVM.h"

namespace tessera::frontend {

/// Warns of unused names in `kernels` and the fns that they call, and of fns
/// that no kernel of the program calls.
void warnOfUnusedNames(const Program &program, ArrayRef<KernelDecl *> kernels,
                       Diagnostics &diagnostics);

/// Reports the unknown names of all fns. A fn has types only in a call, so a
/// file without kernels has no other check of its bodies.
void checkNamesOfFns(const Program &program, const FnTable &visibleFns,
                     Diagnostics &diagnostics);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_UNUSEDNAMES_H
