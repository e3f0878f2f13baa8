//===- Extents.h - Ranges inside of a dimension -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares ranges with symbolic extents of tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_EXTENTS_H
#define TESSERA_FRONTEND_EXTENTS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::frontend {

/// Checks whether all positions of a range are valid and below `extent`, for
/// all values of the sizes.
bool isInside(Value range, tile::SizeAttr extent);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_EXTENTS_H
