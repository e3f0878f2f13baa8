//===- ReportLowering.h - Checks and prints as stores -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_DEBUG_REPORTLOWERING_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_DEBUG_REPORTLOWERING_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// Replaces the checks and prints of a kernel by stores to a further parameter,
/// which the attribute `tile.reports` describes. Nothing changes if there are
/// none.
void lowerReports(KernelOp kernel);

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_DEBUG_REPORTLOWERING_H
