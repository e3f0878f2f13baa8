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

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TMAFETCH_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TMAFETCH_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// A fetch that another role can do.
struct RingFetch {
  FetchOp op;
  /// Must be 0 at launch; null if there is nothing to check.
  tile::SizeAttr condition;
  /// Axes of the tile that end before the tensor does.
  SmallVector<int64_t> clippedAxes;
  /// Whether threads bring it, which clip it by themselves, and not a tensor
  /// copy.
  bool isByThreads = false;
  /// Of the positions that it gathers; null if it does not gather.
  Attribute positionLayout = {};
  /// What threads write where it is not valid; null for zero.
  TypedAttr fill = {};
  /// What threads compute from the row that they load, and bring in its place;
  /// null if they bring what they load.
  Value computed = {};
};

/// What it takes to do `op` by TMA, or why that cannot be.
FailureOr<RingFetch> matchTmaFetch(FetchOp op, std::string &why);

/// Whether `limit` is known to be `size`, and so where the tensor ends.
bool isSize(Value limit, tile::SizeAttr size);

/// Whether the tile that `op` accesses may end before its tensor does, along
/// `axis` of the tile.
template <typename Access>
bool mayEndEarly(Access op, unsigned axis) {
  return !op.isInBounds(axis) &&
         !isSize(op.getLimits()[axis],
                 op.getGlobalType().getShape()[op.getDims()[axis]]);
}

/// Whether `mask` only says that positions which an access selects lie in the
/// tensor: a tensor copy looks after that by itself.
bool isBoundsCheck(Value mask, OperandRange indices, tile::GlobalType global);

/// What must be 0 at launch for tensor copies of `global`; null if there is
/// nothing to check. Fails, and says why, where it can never be.
FailureOr<tile::SizeAttr> getTmaCondition(const GpuTarget &target,
                                          tile::GlobalType global,
                                          std::string &why);

/// Adds to the conditions of a launch; null ones are left out.
void addConditions(KernelOp kernel, ArrayRef<tile::SizeAttr> conditions);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TMAFETCH_H
