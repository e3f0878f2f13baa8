//===- Contract.cpp - Products rounded with a sum ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-contract. One instruction multiplies and adds with a single
// rounding. The pass decides by pattern matching where a product and its only
// sum become a math.fma. Later levels execute the IR as it is. Sums that an
// exponential reads keep both roundings (see mustBeRounded), and so do loops of
// products (see isInProductLoop).
//
//===----------------------------------------------------------------------===//

#include "Magnitude.h"
#include "tessera/Dialect/Tile/IR/Exponentials.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::tile {
#define GEN_PASS_DEF_CONTRACTPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

/// Returns the product that `value` is, if nothing else needs it.
static arith::MulFOp getOwnProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() ? product : arith::MulFOp();
}

/// Checks whether rounding `product` only once, with a sum, would affect an
/// exponential. A sum of large numbers before an exponential cancels only if
/// both numbers are rounded in the same way.
static bool mustBeRounded(arith::MulFOp product, Operation *sum) {
  return feedsExponential(sum->getResult(0)) &&
         getMagnitude(product.getResult()).isLarge();
}

/// Returns `sum`, an addition or a difference, contracted with a product that
/// it alone uses; null if it has none. Instructions negate operands at no cost.
static Value contract(OpBuilder &builder, Operation *sum) {
  Location loc = sum->getLoc();
  Value a = sum->getOperand(0), b = sum->getOperand(1);
  auto subtracted = [&](Value value) -> Value {
    if (!isa<arith::SubFOp>(sum))
      return value;
    return arith::NegFOp::create(builder, loc, value);
  };
  arith::MulFOp left = getOwnProduct(a), right = getOwnProduct(b);
  if (left && !mustBeRounded(left, sum))
    return math::FmaOp::create(builder, loc, left.getLhs(), left.getRhs(),
                               subtracted(b));
  if (right && !mustBeRounded(right, sum))
    return math::FmaOp::create(builder, loc, subtracted(right.getLhs()),
                               right.getRhs(), a);
  return nullptr;
}

/// Returns the product whose elements are added up by `reduce` alone; null if
/// there is none.
static arith::MulFOp getAddedUp(ReduceOp reduce) {
  auto tile = cast<RankedTensorType>(reduce.getSource().getType());
  return reduce.getKind() == ReduceKind::Sum && tile.getElementType().isF32()
             ? getOwnProduct(reduce.getSource())
             : arith::MulFOp();
}

/// Checks whether `op` is in a loop with matrix products. Other instructions
/// there change the code of ptxas by a few per cent in either direction, and
/// the schedules of loops were chosen for the present instructions.
static bool isInProductLoop(Operation *op) {
  auto loop = op->getParentOfType<scf::ForOp>();
  while (loop) {
    if (loop->walk([](GemmOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return true;
    loop = loop->getParentOfType<scf::ForOp>();
  }
  return false;
}

namespace {
struct Contract : tile::impl::ContractPassBase<Contract> {
  using ContractPassBase::ContractPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel->hasAttr(kNoContractAttrName)) {
      if (remarks)
        kernel->emitRemark() << "keeps products as written, as "
                                "'numerics (contract = false)' asks"
                             << " [products-kept]";
      return;
    }
    kernel->walk([&](ReduceOp reduce) {
      arith::MulFOp product = getAddedUp(reduce);
      if (!product)
        return;
      // The lowering fuses the product with the sum, where it knows the share
      // of each thread.
      product.setFastmath(product.getFastmath() |
                          arith::FastMathFlags::contract);
      if (remarks)
        reduce.emitRemark() << "these products are rounded with their sum"
                            << " [contracted]";
      ++numContracted;
    });
    kernel->walk([&](Operation *op) {
      if (!isa<arith::AddFOp, arith::SubFOp>(op))
        return;
      auto tile = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      if (!tile || !tile.getElementType().isF32() || isInProductLoop(op))
        return;
      OpBuilder builder(op);
      Value contracted = contract(builder, op);
      if (!contracted)
        return;
      if (remarks)
        op->emitRemark() << "this sum is rounded once, with a product"
                         << " [contracted]";
      op->replaceAllUsesWith(ValueRange(contracted));
      Value a = op->getOperand(0), b = op->getOperand(1);
      op->erase();
      for (Value operand : {a, b})
        if (Operation *product = operand.getDefiningOp<arith::MulFOp>();
            product && product->use_empty())
          product->erase();
      ++numContracted;
    });
  }
};
} // namespace
