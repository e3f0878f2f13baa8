//===- Contract.cpp - Products that are rounded with a sum ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-contract. One instruction multiplies and adds; whether it may
// is decided here, and later levels compute what stands in the IR.
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

/// The product that `value` is, if nothing else needs it.
static arith::MulFOp getOwnProduct(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() ? product : arith::MulFOp();
}

/// Checks whether rounding `product` only once, with a sum, would affect an
/// exponential. There a sum of large numbers cancels only if both are rounded
/// alike.
static bool mustBeRounded(arith::MulFOp product, Operation *sum) {
  return feedsExponential(sum->getResult(0)) &&
         getMagnitude(product.getResult()).isLarge();
}

/// `sum`, an addition or a difference, with a product of its own contracted;
/// null if it has none. Instructions change the sign of an operand on the way.
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

/// The product whose elements alone `reduce` adds up, if it adds up one.
static arith::MulFOp getAddedUp(ReduceOp reduce) {
  auto tile = cast<RankedTensorType>(reduce.getSource().getType());
  return reduce.getKind() == ReduceKind::Sum && tile.getElementType().isF32()
             ? getOwnProduct(reduce.getSource())
             : arith::MulFOp();
}

/// Whether `op` runs beside the products of a loop. What assemblers make of
/// that work follows its instructions by some per cent either way, and
/// schedules of loops were chosen with it.
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
      // Its elements meet their sum where each thread knows what it adds up.
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
