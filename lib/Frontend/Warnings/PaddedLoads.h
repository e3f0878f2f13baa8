//===- PaddedLoads.h - Elements past the end in reductions ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds reductions whose results include elements past the end of a tensor.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_PADDEDLOADS_H
#define TESSERA_FRONTEND_PADDEDLOADS_H

#include "KernelContext.h"

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::frontend {

/// A reduction, a scan, a matrix product or an order to which elements past the
/// end contribute.
struct PaddedReduction {
  Operation *op;
  /// The load without `fill`, or the positions, that these elements come from.
  Operation *origin;
  /// The value of these elements; null if it is unknown, or for a product.
  Attribute value;
  /// A value that changes no result; null if unknown, or for `sum`, `max`,
  /// `min`, products and orders.
  Attribute neutral = {};
};

/// Returns the reductions of `kernel`, and the first operations of the calls
/// `orderCalls`, that elements past the end may change.
SmallVector<PaddedReduction>
findPaddedReductions(tile::KernelOp kernel,
                     const llvm::DenseMap<Location, OrderCall> &orderCalls);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_PADDEDLOADS_H
