//===- TmaFetch.h - Fetches that tensor copies can do -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requirements of TMA on a fetch, and the additions for a fetch that is
// only nearly a TMA copy. These are conditions on sizes at launch, and rows
// that the role that uses the tile must zero.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TMAFETCH_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TMAFETCH_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/Reason.h"

namespace tessera::sm {

/// A fetch that another role can do.
struct RingFetch {
  FetchOp op;
  /// Must be 0 at launch.
  SmallVector<tile::SizeAttr> conditions;
  /// Axes of the tile that end before the tensor does.
  SmallVector<int64_t> clippedAxes;
  /// Whether threads bring it, which clip it by themselves, and not a tensor
  /// copy.
  bool isByThreads = false;
  /// Of the positions that it gathers; null if it does not gather.
  Attribute positionLayout = {};
  /// Fill value that threads write for invalid elements; null for zero.
  TypedAttr fill = {};
  /// The value that threads compute from the row that they load, and write in
  /// its place; null if they write the row itself.
  Value computed = {};
};

/// Returns the TMA fetch for `op`, or why there can be none.
OrReason<RingFetch> matchTmaFetch(FetchOp op);

/// Checks whether `limit` is known to be `size`, which is the extent of a
/// tensor: then it is where the tensor ends.
bool isSize(Value limit, tile::SizeAttr size);

/// Checks whether the tile that `op` accesses may end before its tensor does,
/// along `axis` of the tile.
template <typename Access>
bool mayEndEarly(Access op, unsigned axis) {
  return !op.isInBounds(axis) &&
         !isSize(op.getLimits()[axis],
                 op.getGlobalType().getShape()[op.getDims()[axis]]);
}

/// Checks whether `copy` may end before its tensor does, along any axis.
bool mayEndEarly(CopyStartOp copy);

/// Checks whether `mask` only says that positions which an access selects lie
/// in the tensor: a tensor copy looks after that by itself.
bool isBoundsCheck(Value mask, OperandRange indices, tile::GlobalType global);

/// Returns the sizes that must be 0 at launch for the rows of `global` to begin
/// where tensor copies and copies of vectors may begin, or why they never do.
OrReason<SmallVector<tile::SizeAttr>> getRowConditions(const GpuTarget &target,
                                                       tile::GlobalType global);

/// Returns the sizes that must be 0 at launch for a tensor copy to do `access`,
/// or why none can. The access is an sm.load, sm.fetch, sm.store or sm.atomic,
/// and only its place in global memory counts.
///
/// A box begins at a multiple of 16 bytes along the last dimension. Otherwise
/// the instruction is illegal on Hopper (gpu/checks/check_constructs.py,
/// "windows"), which the PTX ISA does not say.
OrReason<SmallVector<tile::SizeAttr>> getTmaConditions(Operation *access);

/// Adds to the conditions of a launch.
void addConditions(KernelOp kernel, ArrayRef<tile::SizeAttr> conditions);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TMAFETCH_H
