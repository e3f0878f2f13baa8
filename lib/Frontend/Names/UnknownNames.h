//===- UnknownNames.h - Errors about undeclared names -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_UNKNOWNNAMES_H
#define TESSERA_FRONTEND_UNKNOWNNAMES_H

#include "KernelContext.h"

namespace tessera::frontend {

/// Reports the use of an undeclared name, with its probable meaning.
void reportUnknownName(KernelContext &context, SourcePlace place,
                       StringRef name);
/// Reports an assignment to an undeclared name.
void reportUndeclared(KernelContext &context, const AssignStmt &stmt,
                      const NameExpr &target);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_UNKNOWNNAMES_H
