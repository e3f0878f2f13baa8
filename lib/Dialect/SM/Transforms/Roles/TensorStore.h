//===- TensorStore.h - Stores that tensor copies can do ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tensor copy asks of a store or an addition, and what a launch has to
// see to then.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TENSORSTORE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TENSORSTORE_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

struct TensorStore {
  int64_t columns = 0;
  /// Must be 0 at launch; null if there is nothing to check.
  tile::SizeAttr condition;
  /// Axes of the tile that may end before the tensor does: a tensor copy skips
  /// what is outside of the tensor, so it is for tiles that do not end early.
  SmallVector<int64_t> clippedAxes;
};

/// Whether `op`, a store or an addition, writes an accumulator: all others are
/// written as well by threads.
bool writesAccumulator(Operation *op);

/// What it takes to do `op`, which writes an accumulator, by a tensor copy; or
/// why it stays as it is.
FailureOr<TensorStore> matchTensorStore(Operation *op, std::string &why);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TENSORSTORE_H
