//===- Warnings.h - Warnings of surprising programs -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_WARNINGS_H
#define TESSERA_FRONTEND_WARNINGS_H

#include "KernelContext.h"

namespace tessera::frontend {

/// Returns the source text for the elementwise maximum or minimum with `other`.
std::string getElementwiseForm(bool isMax, const Entity &source, int64_t other);
/// Warns of `max(x, 0)`, where the 0 is an axis.
void warnOfAxis(KernelContext &context, bool isMax, const Entity &source,
                int64_t axis, SourcePlace place);
/// Warns if `number`, which becomes a float, is an inexact quotient of
/// integers.
void warnOfQuotient(KernelContext &context, const Entity &number);
/// Warns of a function of bf16 or an 8-bit float, which has at most three
/// digits.
void warnOfNarrowFunction(KernelContext &context, const Entity &operand,
                          StringRef name, SourcePlace place);
/// Warns of a sum of 8-bit integers.
void warnOfNarrowSum(KernelContext &context, const Entity &source,
                     StringRef name, SourcePlace place);
/// Warns of each maximum and minimum along an axis that includes zeros of a
/// partial load.
void warnOfPaddedExtrema(KernelContext &context, tile::KernelOp kernel);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_WARNINGS_H
