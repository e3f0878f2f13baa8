//===- ReducePlan.cpp - The steps of a reduction ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Layout/FreeDigits.h"
#include "tessera/Layout/RegisterMatching.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Digit;
using layout::Layout;
using layout::Point;

std::optional<ReducePlan> ReducePlan::get(ReduceOp op) {
  const Layout &source = getLayout(op.getSource().getType());
  const Layout &result = getLayout(op.getType());
  unsigned axis = op.getAxis();
  std::optional<int64_t> keep = op.getKeep();
  std::optional<SmallVector<int64_t>> matches =
      matchRegisters(result, source, [&](Point element) {
        if (keep)
          element[axis] %= *keep;
        else
          element.erase(element.begin() + axis);
        return element;
      });
  if (!matches)
    return std::nullopt;

  ReducePlan plan;
  for (int64_t r : getHoldingRegisters(source))
    plan.targets.push_back({r, (*matches)[r]});
  SmallVector<const Digit *> free = getFreeDigits(source);
  for (const Digit &digit : source.getDigits()) {
    StringRef name = source.getAxes()[digit.axis].name;
    if (name == layout::kRegister || digit.kind == Digit::Kind::Broadcast)
      continue;
    // Copies that are not plain repetitions.
    if (llvm::is_contained(free, &digit))
      return std::nullopt;
    int64_t along = digit.stride[axis];
    if (along == 0 || (keep && along < *keep))
      continue;
    bool isOnlyAlong = llvm::count_if(digit.stride, [](int64_t stride) {
                         return stride != 0;
                       }) == 1;
    if (!isOnlyAlong)
      return std::nullopt;
    if (name == layout::kWarp) {
      plan.warpDigits.push_back({digit.place, digit.count});
      plan.parts *= digit.count;
    } else if (name == layout::kLane && digit.count == 2 &&
               llvm::isPowerOf2_64(digit.place)) {
      plan.laneBits.push_back(digit.place);
    } else {
      return std::nullopt;
    }
  }
  return plan;
}

PartsTile PartsTile::get(ReduceOp op, const ReducePlan &plan) {
  int64_t bytes = getElementBytes(getWorkType(op.getType().getElementType()));
  const Layout &results = getLayout(op.getType());
  SmallVector<int64_t> shape = llvm::to_vector(op.getType().getShape());
  int64_t rowWidth = ScratchTile(shape, bytes).getVectorWidth(results);
  int64_t partWidth =
      llvm::isPowerOf2_64(plan.parts) ? std::min(plan.parts, 16 / bytes) : 1;
  if (rowWidth > 1 && rowWidth >= partWidth) {
    shape.insert(shape.begin(), plan.parts);
    ScratchTile tile(shape, bytes);
    ArrayRef<int64_t> strides = tile.getStrides();
    return {tile, llvm::to_vector(strides.drop_front()), strides.front(),
            rowWidth, 1};
  }
  shape.push_back(plan.parts);
  ScratchTile tile(shape, bytes);
  ArrayRef<int64_t> strides = tile.getStrides();
  return {tile, llvm::to_vector(strides.drop_back()), strides.back(), 1,
          partWidth};
}

ScratchTile sm::getScratchTile(ReduceOp op) {
  RankedTensorType source = op.getSource().getType();
  return ScratchTile(source.getShape(),
                     getElementBytes(source.getElementType()));
}

int64_t sm::getReduceScratch(ReduceOp op) {
  std::optional<ReducePlan> plan = ReducePlan::get(op);
  if (!plan)
    return getScratchTile(op).getBytes();
  return plan->parts == 1 ? 0 : PartsTile::get(op, *plan).tile.getBytes();
}
