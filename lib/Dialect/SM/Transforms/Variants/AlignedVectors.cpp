//===- AlignedVectors.cpp - Accesses whose vectors are aligned --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlignedVectors.h"
#include "Roles/TmaFetch.h"

#include "tessera/Dialect/SM/Analysis/Multiples.h"
#include "tessera/Dialect/SM/IR/GlobalVectors.h"
#include "tessera/Dialect/SM/IR/Layouts.h"

using namespace tessera;
using namespace tessera::sm;

/// Finds the sizes that must be multiples, in addition to `known`, for the
/// vectors of `op` to be aligned.
template <typename OpTy>
static FailureOr<SmallVector<Multiple>>
findMultiples(OpTy op, RankedTensorType tile, ArrayRef<Multiple> known) {
  tile::GlobalType global = op.getGlobalType();
  int64_t width = getGlobalVectorWidth(
      getLayout(tile), getElementBytes(global.getElementType()));
  unsigned last = global.getRank() - 1;
  if (width == 1 || op.getDims().empty() || op.getDims().back() != last)
    return failure();
  Multiples multiples(width, known);
  // Rows of a tensor of rank 1 all begin where it does.
  if (last > 0 && !multiples.require(global.getShape().back()))
    return failure();
  Value start = op.getIndices()[last];
  if (isa<RankedTensorType>(start.getType()) || !multiples.require(start))
    return failure();
  unsigned walked = op.getDims().size() - 1;
  if (!op.isInBounds(walked) && !multiples.require(op.getLimits()[walked]))
    return failure();
  return llvm::to_vector(multiples.get());
}

unsigned sm::alignVectors(KernelOp kernel) {
  unsigned aligned = 0;
  SmallVector<Multiple> known;
  auto align = [&](auto op, Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return;
    FailureOr<SmallVector<Multiple>> multiples = findMultiples(op, tile, known);
    if (failed(multiples))
      return;
    llvm::append_range(known, *multiples);
    addConditions(kernel,
                  llvm::map_to_vector(*multiples, [](Multiple multiple) {
                    return multiple.getRemainder();
                  }));
    op->setAttr(kAlignedAttrName, UnitAttr::get(op.getContext()));
    ++aligned;
  };
  kernel.walk([&](LoadOp op) { align(op, op.getType()); });
  kernel.walk([&](StoreOp op) { align(op, op.getValue().getType()); });
  return aligned;
}
