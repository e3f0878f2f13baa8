//===- TmaRules.cpp - Requirements of tensor copies -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks whether TMA can copy between a tile and a tensor. The tile must
// consist of boxes, it must start at a multiple of the swizzle's pattern, and
// the strides of the tensor must be multiples of 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "TmaRules.h"

#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sim;

/// Checks the strides of a tensor map: those of all dimensions but the last
/// one, whose elements are contiguous in every argument of a launch.
static LogicalResult verifyStrides(Operation *op, Warp &warp,
                                   const interp::GlobalTensor &tensor,
                                   int64_t elementBytes) {
  int64_t multiple = sm::getTarget(op).tmaGlobalAlignment;
  ArrayRef<int64_t> strides = tensor.getStrides();
  if (strides.empty())
    return success();
  for (auto [dim, stride] : llvm::enumerate(strides.drop_back()))
    if (stride * elementBytes % multiple != 0)
      return warp.report(
          op, "a tensor copy needs strides of multiples of " + Twine(multiple) +
                  " bytes; that of dimension " + Twine(dim) + " of '" +
                  tensor.getName() + "' is " + Twine(stride * elementBytes));
  return success();
}

const layout::TmaBoxes *sim::verifyCopy(Operation *op, Warp &warp,
                                        const interp::GlobalTensor &tensor,
                                        const SharedTile &tile) {
  const TmaTile &copied =
      warp.getCta().getSimulation().tables.getTmaTile(tile.type);
  if (!copied.boxes) {
    (void)warp.report(op, "cannot be copied by TMA: " + copied.why);
    return nullptr;
  }
  // Every box begins at a multiple of this alignment, relative to the start of
  // the tile.
  int64_t alignment = layout::getAlignment(copied.boxes->swizzle);
  if (tile.base % alignment != 0) {
    (void)warp.report(op, "a tensor copy with a swizzle of " +
                              layout::getSwizzleName(copied.boxes->swizzle) +
                              " begins at byte " + Twine(tile.base) +
                              " of shared memory; expected a multiple of " +
                              Twine(alignment));
    return nullptr;
  }
  if (failed(verifyStrides(op, warp, tensor, tile.type.getElementBytes())))
    return nullptr;
  return &*copied.boxes;
}

LogicalResult sim::verifyColumn(Operation *op, Warp &warp,
                                const interp::GlobalTensor &tensor,
                                Value column, int64_t elementBytes) {
  int64_t multiple = sm::getTarget(op).tmaGlobalAlignment;
  int64_t first = warp.getInteger(column);
  if (first * elementBytes % multiple == 0)
    return success();
  return warp.report(op, "a tensor copy begins at a multiple of " +
                             Twine(multiple) + " bytes of a row; index " +
                             Twine(first) + " of the last dimension of '" +
                             tensor.getName() + "' is byte " +
                             Twine(first * elementBytes));
}
