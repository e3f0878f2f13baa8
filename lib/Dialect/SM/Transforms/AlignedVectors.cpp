//===- AlignedVectors.cpp - Accesses whose vectors are aligned --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlignedVectors.h"
#include "TmaFetch.h"

#include "tessera/Dialect/SM/IR/GlobalVectors.h"
#include "tessera/Dialect/SM/IR/Layouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// What makes sizes and positions multiples of `width`.
class Multiples {
public:
  explicit Multiples(int64_t width) : width(width) {}

  /// Whether they are, where the conditions hold.
  bool require(tile::SizeAttr size);
  bool require(Value position);

  ArrayRef<tile::SizeAttr> getConditions() const { return conditions; }

private:
  bool requireAll(ValueRange positions) {
    return llvm::all_of(positions, [&](Value v) { return require(v); });
  }

  int64_t width;
  SmallVector<tile::SizeAttr> conditions;
};
} // namespace

bool Multiples::require(tile::SizeAttr size) {
  auto remainder = tile::SizeAttr::getNormalized(
      size.getContext(), size.getSymbols(), size.getExpr() % width);
  if (std::optional<int64_t> value = remainder.getConstantValue())
    return *value == 0;
  conditions.push_back(remainder);
  return true;
}

bool Multiples::require(Value position) {
  if (std::optional<int64_t> value = getConstantIntValue(position))
    return *value % width == 0;
  if (auto argument = dyn_cast<BlockArgument>(position)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           require(loop.getLowerBound()) && require(loop.getStep());
  }
  Operation *op = position.getDefiningOp();
  if (auto size = dyn_cast<tile::SizeOp>(op))
    return require(size.getSize());
  // One factor is enough; that of a constant takes no condition.
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return require(product.getRhs()) || require(product.getLhs());
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return requireAll(op->getOperands());
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return require(op->getOperand(0));
  return false;
}

/// Finds the conditions under which the vectors of `op` are aligned.
template <typename OpTy>
static FailureOr<SmallVector<tile::SizeAttr>>
getConditions(OpTy op, RankedTensorType tile) {
  tile::GlobalType global = op.getGlobalType();
  int64_t width = getGlobalVectorWidth(
      getLayout(tile), getElementBytes(global.getElementType()));
  unsigned last = global.getRank() - 1;
  if (width == 1 || op.getDims().empty() || op.getDims().back() != last)
    return failure();
  Multiples multiples(width);
  // Rows of a tensor of rank 1 all begin where it does.
  if (last > 0 && !multiples.require(global.getShape().back()))
    return failure();
  Value start = op.getIndices()[last];
  if (isa<RankedTensorType>(start.getType()) || !multiples.require(start))
    return failure();
  unsigned walked = op.getDims().size() - 1;
  if (!op.isInBounds(walked) && !multiples.require(op.getLimits()[walked]))
    return failure();
  return llvm::to_vector(multiples.getConditions());
}

unsigned sm::alignVectors(KernelOp kernel) {
  unsigned aligned = 0;
  auto align = [&](auto op, Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return;
    FailureOr<SmallVector<tile::SizeAttr>> conditions = getConditions(op, tile);
    if (failed(conditions))
      return;
    addConditions(kernel, *conditions);
    op->setAttr(kAlignedAttrName, UnitAttr::get(op.getContext()));
    ++aligned;
  };
  kernel.walk([&](LoadOp op) { align(op, op.getType()); });
  kernel.walk([&](StoreOp op) { align(op, op.getValue().getType()); });
  return aligned;
}
