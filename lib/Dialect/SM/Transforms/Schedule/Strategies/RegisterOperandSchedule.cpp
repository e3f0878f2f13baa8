//===- RegisterOperandSchedule.cpp - Operands by threads --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Software pipelining of products that only add to carried values, with
// operands that threads scale or unpack into registers. These products run an
// iteration late and overlap that work:
//
//   iteration j: issue the products of j - 1; read and compute the operands of
//   j, in wide registers; await the products; round
//
// Invariant: the registers of an operand are written anew only after its
// product is complete, so that each tile needs them once.
//
//===----------------------------------------------------------------------===//

#include "ScheduleStrategy.h"

#include "mlir/IR/TypeUtilities.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether threads compute an operand of `product` in each iteration:
/// what is only read goes right into the registers that the product before
/// reads.
static bool hasComputedOperand(MmaIssueOp product) {
  Value tile = product.getA();
  while (auto transpose = tile.getDefiningOp<TransposeOp>())
    tile = transpose.getOperand();
  Operation *operand = tile.getDefiningOp();
  return operand && operand->getBlock() == product->getBlock() &&
         isa<RankedTensorType>(tile.getType()) && !isa<SmemLoadOp>(operand);
}

/// Lets an operand of 16 bits that is made of integers be f32 first: then only
/// the rounding has to wait for the product of the iteration before.
static void widenOperand(MmaIssueOp product) {
  Operation *convert = product.getA().getDefiningOp();
  if (!isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(convert) ||
      !getElementTypeOrSelf(convert->getOperand(0)).isInteger(8))
    return;
  OpBuilder builder(convert);
  auto tile = cast<RankedTensorType>(convert->getResult(0).getType());
  Operation *wide = builder.clone(*convert);
  wide->getResult(0).setType(tile.clone(builder.getF32Type()));
  convert->replaceAllUsesWith(arith::TruncFOp::create(
      builder, convert->getLoc(), tile, wide->getResult(0)));
  convert->erase();
}

Proposals sm::proposeRegisterOperands(SplitLoop &split, const LoopHints &) {
  if (llvm::none_of(split.products, hasComputedOperand))
    return "threads compute no operand";
  if (Reason reason = chainSums(split))
    return reason;
  Proposal proposal;
  for (MmaIssueOp product : split.products) {
    widenOperand(product);
    proposal.order.products.push_back(
        {product, kLastStage, /*startsAlone=*/false,
         /*isComputedAhead=*/hasComputedOperand(product)});
  }
  return SmallVector<Proposal>{proposal};
}
