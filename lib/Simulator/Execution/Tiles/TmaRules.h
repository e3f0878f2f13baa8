//===- TmaRules.h - Requirements of tensor copies ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_TILES_TMARULES_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_TILES_TMARULES_H

#include "Box.h"
#include "SharedElements.h"

namespace tessera::sim {

/// Returns the boxes of a tile that a tensor copy moves. Returns null after a
/// report if TMA cannot copy between this tile and this tensor: the rules of
/// tensor maps and of addresses in shared memory (PTX ISA, "tensors").
const layout::TmaBoxes *verifyCopy(Operation *op, Warp &warp,
                                   const interp::GlobalTensor &tensor,
                                   const SharedTile &tile);

/// Checks that a tensor copy begins at a multiple of 16 bytes of a row, at
/// `column` of `tensor`; otherwise the instruction is illegal on Hopper. Fails
/// with a report.
LogicalResult verifyColumn(Operation *op, Warp &warp,
                           const interp::GlobalTensor &tensor, Value column,
                           int64_t elementBytes);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_TILES_TMARULES_H
