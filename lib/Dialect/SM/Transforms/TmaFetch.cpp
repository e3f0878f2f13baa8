//===- TmaFetch.cpp - Fetches that tensor copies can do ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TmaFetch.h"

#include "tessera/Layout/TmaBoxes.h"
#include "tessera/Target/GpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace tessera;
using namespace tessera::sm;

bool sm::isSize(Value limit, tile::SizeAttr size) {
  if (auto op = limit.getDefiningOp<tile::SizeOp>())
    return op.getSize() == size;
  std::optional<int64_t> constant = getConstantIntValue(limit);
  return constant && constant == size.getConstantValue();
}

/// Whether `mask` only says that positions which `op` selects lie in the
/// tensor: a tensor copy looks after that by itself.
static bool isBoundsCheck(Value mask, FetchOp op) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return isBoundsCheck(both.getLhs(), op) && isBoundsCheck(both.getRhs(), op);
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  // Negative positions are large ones without a sign.
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
    return false;
  ArrayRef<tile::SizeAttr> shape = op.getGlobalType().getShape();
  for (auto [dim, index] : llvm::enumerate(op.getIndices()))
    if (index == compare.getLhs() && isSize(compare.getRhs(), shape[dim]))
      return true;
  return false;
}

FailureOr<TmaFetch> sm::matchTmaFetch(FetchOp op, std::string &why) {
  const GpuTarget &target = getDefaultGpuTarget();
  tile::GlobalType global = op.getGlobalType();
  SmemType tile = op.getType();
  int64_t rank = global.getRank();
  auto refuse = [&](const Twine &reason) {
    why = reason.str();
    return failure();
  };
  if (global.isWritable())
    return refuse("the kernel writes this tensor, and a role that loads ahead "
                  "would not see what it writes");
  if (op.getMask() && !isBoundsCheck(op.getMask(), op))
    return refuse("it is masked by more than the bounds of the tensor");
  if (op.getDims().empty() || op.getDims().back() != rank - 1)
    return refuse("the last dimension of the tile is not that of the tensor");
  if (rank > target.tmaMaxRank)
    return refuse("a tensor copy has at most " + Twine(target.tmaMaxRank) +
                  " dimensions, the tensor has " + Twine(rank));
  llvm::Expected<layout::TmaBoxes> boxes =
      layout::getTmaBoxes(tile.getLayout(), tile.getElementBytes());
  if (!boxes)
    return refuse(llvm::toString(boxes.takeError()));

  TmaFetch result{op, {}, {}};
  // All strides are multiples of the innermost size.
  int64_t bytes = tile.getElementBytes();
  int64_t multiple =
      target.tmaGlobalAlignment / std::gcd(target.tmaGlobalAlignment, bytes);
  if (rank > 1) {
    tile::SizeAttr inner = global.getShape().back();
    auto remainder = tile::SizeAttr::getNormalized(
        op.getContext(), inner.getSymbols(), inner.getExpr() % multiple);
    if (remainder.getConstantValue().value_or(0) != 0)
      return refuse("rows of " + inner.str() +
                    " elements do not start at "
                    "multiples of " +
                    Twine(target.tmaGlobalAlignment) + " bytes");
    if (!remainder.getConstantValue())
      result.condition = remainder;
  }
  for (auto [axis, dim] : llvm::enumerate(op.getDims()))
    if (!op.isInBounds(axis) &&
        !isSize(op.getLimits()[axis], global.getShape()[dim]))
      result.clippedAxes.push_back(axis);
  if (!result.clippedAxes.empty() && tile.getRank() != 2)
    return refuse("it ends before the tensor does, and only tiles of rank 2 "
                  "can be clipped");
  return result;
}
