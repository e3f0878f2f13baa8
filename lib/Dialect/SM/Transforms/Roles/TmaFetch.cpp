//===- TmaFetch.cpp - Fetches that tensor copies can do ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TmaFetch.h"

#include "tessera/Array/Limits.h"
#include "tessera/Dialect/SM/Analysis/Multiples.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/TmaBoxes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace tessera;
using namespace tessera::sm;

/// Returns the size that `value` is at every launch; null if it is none, or may
/// wrap around.
static tile::SizeAttr findSize(Value value) {
  if (auto op = value.getDefiningOp<tile::SizeOp>())
    return op.getSize();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return tile::SizeAttr::getConstant(value.getContext(), *constant);
  if (!value.getType().isIndex() && !value.getType().isInteger(64))
    return {};
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::IndexCastOp>(op))
    return findSize(op->getOperand(0));
  if (!isa_and_present<arith::AddIOp, arith::MulIOp, arith::FloorDivSIOp>(op))
    return {};
  tile::SizeAttr lhs = findSize(op->getOperand(0));
  tile::SizeAttr rhs = lhs ? findSize(op->getOperand(1)) : tile::SizeAttr();
  // Products and quotients of sizes are not affine.
  if (!rhs || (!isa<arith::AddIOp>(op) && !rhs.getConstantValue()))
    return {};
  SmallVector<StringAttr> symbols(lhs.getSymbols());
  llvm::append_range(symbols, rhs.getSymbols());
  AffineExpr a = lhs.getExpr();
  AffineExpr b = rhs.getExpr().shiftSymbols(rhs.getSymbols().size(),
                                            lhs.getSymbols().size());
  AffineExpr result = isa<arith::AddIOp>(op)   ? a + b
                      : isa<arith::MulIOp>(op) ? a * b
                                               : a.floorDiv(b);
  return tile::SizeAttr::getNormalized(value.getContext(), symbols, result);
}

bool sm::isSize(Value limit, tile::SizeAttr size) {
  Operation *op = limit.getDefiningOp();
  // A range ends where its tensor does, or before. Bounds that no size exceeds
  // keep arithmetic from wrapping around.
  if (isa_and_present<arith::MinSIOp, arith::MaxSIOp>(op)) {
    auto isBound = [&](Value value) {
      std::optional<int64_t> bound = getConstantIntValue(value);
      return bound && (isa<arith::MinSIOp>(op) ? *bound >= array::kMaxSize
                                               : *bound <= 0);
    };
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    if (isBound(lhs))
      std::swap(lhs, rhs);
    return isSize(lhs, size) && (isSize(rhs, size) || isBound(rhs));
  }
  if (isa_and_present<arith::IndexCastOp>(op))
    return isSize(op->getOperand(0), size);
  return findSize(limit) == size;
}

bool sm::mayEndEarly(CopyStartOp copy) {
  return llvm::any_of(llvm::seq(copy.getDims().size()),
                      [&](size_t axis) { return mayEndEarly(copy, axis); });
}

bool sm::isBoundsCheck(Value mask, OperandRange indices,
                       tile::GlobalType global) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>())
    return isBoundsCheck(both.getLhs(), indices, global) &&
           isBoundsCheck(both.getRhs(), indices, global);
  auto compare = mask.getDefiningOp<arith::CmpIOp>();
  // Negative positions are large ones without a sign.
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult)
    return false;
  for (auto [dim, index] : llvm::enumerate(indices))
    if (index == compare.getLhs() &&
        isSize(compare.getRhs(), global.getShape()[dim]))
      return true;
  return false;
}

/// The elements of `type` in the unit of global addresses of tensor copies.
static int64_t getUnit(const GpuTarget &target, Type type) {
  int64_t bytes = getElementBytes(type);
  return target.tmaGlobalAlignment / std::gcd(target.tmaGlobalAlignment, bytes);
}

/// Requires that all rows of `global` begin at multiples of 16 bytes.
static Reason requireRows(const GpuTarget &target, tile::GlobalType global,
                          Multiples &multiples) {
  int64_t rank = global.getRank();
  if (rank > target.tmaMaxRank)
    return "a tensor copy has at most " + Twine(target.tmaMaxRank) +
           " dimensions, the tensor has " + Twine(rank);
  // All strides are multiples of the innermost size.
  if (rank == 1 || multiples.require(global.getShape().back()))
    return Reason::none();
  return "rows of " + global.getShape().back().str() +
         " elements do not start at multiples of " +
         Twine(target.tmaGlobalAlignment) + " bytes";
}

OrReason<SmallVector<tile::SizeAttr>>
sm::getRowConditions(const GpuTarget &target, tile::GlobalType global) {
  Multiples multiples(getUnit(target, global.getElementType()));
  if (Reason problem = requireRows(target, global, multiples))
    return problem;
  return multiples.getRemainders();
}

OrReason<SmallVector<tile::SizeAttr>> sm::getTmaConditions(Operation *access) {
  return llvm::TypeSwitch<Operation *, OrReason<SmallVector<tile::SizeAttr>>>(
             access)
      .Case<LoadOp, FetchOp, StoreOp, AtomicOp>(
          [](auto op) -> OrReason<SmallVector<tile::SizeAttr>> {
            const GpuTarget &target = getTarget(op);
            tile::GlobalType global = op.getGlobalType();
            Multiples multiples(getUnit(target, global.getElementType()));
            if (Reason problem = requireRows(target, global, multiples))
              return problem;
            if (!multiples.require(op.getIndices().back()))
              return "it may begin between multiples of " +
                     Twine(target.tmaGlobalAlignment) + " bytes in a row";
            return multiples.getRemainders();
          });
}

void sm::addConditions(KernelOp kernel, ArrayRef<tile::SizeAttr> conditions) {
  llvm::SetVector<Attribute> all;
  if (ArrayAttr known = kernel.getConditionsAttr())
    all.insert_range(known);
  all.insert_range(conditions);
  if (!all.empty())
    kernel.setConditionsAttr(
        ArrayAttr::get(kernel.getContext(), all.getArrayRef()));
}

OrReason<RingFetch> sm::matchTmaFetch(FetchOp op) {
  tile::GlobalType global = op.getGlobalType();
  SmemType tile = op.getType();
  int64_t rank = global.getRank();
  if (global.isWritable())
    return "the kernel writes this tensor, and a role that loads ahead "
           "would not see what it writes";
  if (op.getMask() && !isBoundsCheck(op.getMask(), op.getIndices(), global))
    return "it is masked by more than the bounds of the tensor";
  if (op.getDims().empty() || op.getDims().back() != rank - 1)
    return "the last dimension of the tile is not that of the tensor";
  llvm::Expected<layout::TmaBoxes> boxes =
      layout::getTmaBoxes(tile.getLayout(), tile.getElementBytes());
  if (!boxes)
    return llvm::toString(boxes.takeError());
  // The slots of a ring lie one after the other, and each begins where a
  // tensor copy may write.
  if (tile.getBytes() % tile.getAlignment() != 0)
    return "slots of " + Twine(tile.getBytes()) +
           " bytes do not begin at multiples of " + Twine(tile.getAlignment()) +
           " bytes";

  OrReason<SmallVector<tile::SizeAttr>> conditions = getTmaConditions(op);
  if (!conditions)
    return conditions.getReason();
  RingFetch result{op, *conditions, {}};
  for (unsigned axis = 0; axis < op.getDims().size(); ++axis)
    if (mayEndEarly(op, axis))
      result.clippedAxes.push_back(axis);
  if (!result.clippedAxes.empty() && tile.getRank() != 2)
    return "it ends before the tensor does, and only tiles of rank 2 "
           "can be clipped";
  return result;
}
