//===- Places.h - Warnings at operations ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings of a complete body refer to operations instead of syntax.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_PLACES_H
#define TESSERA_FRONTEND_PLACES_H

#include "KernelContext.h"

namespace tessera::frontend {

/// Returns the innermost place in the source.
FileLineColLoc findPlace(Location loc);

/// Returns the place of an operation in its file.
SourcePlace getPlace(const KernelContext &context, Operation *op);

/// Begins a warning at an operation; returns nothing if its place has one.
std::optional<InFlightDiagnostic> warnAt(KernelContext &context, Operation *op);

/// Adds a note on the call that an operation is inlined from.
void noteCall(InFlightDiagnostic &diagnostic, Operation *op);

/// Returns the name of the tensor that an operation accesses, in quotes.
std::string getTensorName(const KernelContext &context, Value global);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_PLACES_H
