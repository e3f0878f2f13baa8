//===- Arguments.h - Matching of arguments to parameters --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_ARGUMENTS_H
#define TESSERA_FRONTEND_ARGUMENTS_H

#include "KernelContext.h"

namespace tessera::frontend {

/// Matches the arguments of a call to parameters, by position and by name. The
/// first `required` parameters need an argument; absent arguments are null.
/// Parameters from number `named` on take their arguments by name only. Returns
/// false after an error.
bool matchArguments(KernelContext &context, const CallExpr &call,
                    ArrayRef<StringRef> parameters, size_t required,
                    SmallVectorImpl<const Argument *> &matched,
                    size_t named = SIZE_MAX);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_ARGUMENTS_H
