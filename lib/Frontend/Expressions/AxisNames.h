//===- AxisNames.h - Checks of the sizes that axes walk ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are described in AxisNames.cpp. Each function returns false after
// an error.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_AXISNAMES_H
#define TESSERA_FRONTEND_AXISNAMES_H

#include "KernelContext.h"

namespace tessera::frontend {

/// Appends the axis names of an elementwise combination of the operands, whose
/// shapes match.
bool joinAxisNames(KernelContext &context, ArrayRef<Entity> operands,
                   SourcePlace place, StringRef what, AxisNames &names);
/// Checks the axis over which a product sums.
bool checkProductAxes(KernelContext &context, const Entity &lhs,
                      const Entity &rhs, SourcePlace place);
/// Checks a value that is stored to elements whose axes walk `walked`.
bool checkStoredAxes(KernelContext &context, const AxisNames &walked,
                     const Entity &value, SourcePlace place, StringRef what);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_AXISNAMES_H
