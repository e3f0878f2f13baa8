//===- Shapes.h - Common shapes of operands ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_SHAPES_H
#define TESSERA_FRONTEND_SHAPES_H

#include "KernelContext.h"

namespace tessera::frontend {

/// Extends `shape` so that a tile of `other` broadcasts to it. Returns false if
/// the shapes do not match.
bool joinShapes(SmallVectorImpl<int64_t> &shape, ArrayRef<int64_t> other);

/// Joins the shapes of all tiles among the operands. `shape` has no value if
/// there is no tile. Returns false after an error, whose note ends with `hint`.
bool findCommonShape(KernelContext &context, ArrayRef<Entity> operands,
                     SourcePlace place, StringRef what,
                     std::optional<SmallVector<int64_t>> &shape,
                     StringRef hint = "");

/// Adds a note to an error about the rank of a tile that combines the positions
/// of an index with those of another one, where pairs may be meant.
void noteCombinedPositions(KernelContext &context,
                           InFlightDiagnostic &diagnostic, const Entity &tile,
                           SourcePlace place);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_SHAPES_H
