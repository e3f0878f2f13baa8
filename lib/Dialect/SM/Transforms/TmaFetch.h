//===- TmaFetch.h - Fetches that tensor copies can do -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What TMA asks of a fetch, and what has to be added where it is only nearly
// what TMA does: conditions on sizes at launch, and rows to be zeroed by the
// role that uses the tile.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_TMAFETCH_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_TMAFETCH_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

struct TmaFetch {
  FetchOp op;
  /// Must be 0 at launch; null if there is nothing to check.
  tile::SizeAttr condition;
  /// Axes of the tile that end before the tensor does.
  SmallVector<int64_t> clippedAxes;
};

/// What it takes to do `op` by TMA, or why that cannot be.
FailureOr<TmaFetch> matchTmaFetch(FetchOp op, std::string &why);

/// Whether `limit` is known to be `size`, and so where the tensor ends.
bool isSize(Value limit, tile::SizeAttr size);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_TMAFETCH_H
