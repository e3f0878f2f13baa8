//===- GatheredLoads.h - Loads of rows at given positions -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gather takes its positions from a tile. The role that fetches the gathered
// rows computes this tile again, in the layout in which its threads share the
// rows (getPositionLayout). Each thread keeps the positions of its own rows in
// registers.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_GATHEREDLOADS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_GATHEREDLOADS_H

#include "TmaFetch.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {

/// Returns the positions that an access gathers, or null.
Value getGathered(OperandRange indices);

/// Why threads of another role cannot bring what `load` gathers; none if they
/// can, or if it does not gather.
Reason getGatherObstacle(LoadOp load);

/// Of the warps that load, those that gather. Three would not share the rows of
/// a tile evenly.
constexpr int64_t kGatherWarps = 2;

/// Sets what it takes to gather `fetch` by threads, or returns why that cannot
/// be. Rows begin at multiples of 16 bytes; what is not aligned for other
/// reasons is brought too, but slowly.
Reason matchGather(RingFetch &fetch);

/// Computes the positions of `load` before `loop`, if they are the same in each
/// iteration.
void hoistPositions(LoadOp load, scf::ForOp loop);

/// The layouts of tiles of positions, by what computes them.
using PositionLayouts = llvm::DenseMap<Operation *, Attribute>;

/// Gives `load` positions of its own if it shares them with loads in `layouts`
/// whose threads share the rows otherwise: they are computed in one layout.
/// `tile` is what `load` brings. Adds to `layouts`.
void separatePositions(LoadOp load, SmemType tile, PositionLayouts &layouts);

/// Checks whether a gather takes positions that are computed from `load`: the
/// role that gathers loads them by itself.
bool feedsPositions(LoadOp load);

/// Checks whether `op` computes a tile element by element, so that it does so
/// in any layout.
bool isElementByElement(Operation *op);

/// Gives what a copy of such an op computes another layout.
void setTileLayout(Operation *copy, Attribute layout);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_GATHEREDLOADS_H
