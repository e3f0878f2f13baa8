//===- SumSchedule.cpp - Products that only accumulate ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Software pipelining of products that only add to carried sums. They overlap
// the next iteration, and the sums are complete after the loop. If operands
// stay as they are while the next products are issued, products complete late:
//
//   iteration j: wait for slots; issue the products of j, which add to what is
//   pending; retire those of j - 1; release their slots
//
// If threads scale or unpack an operand into registers, products run late and
// overlap that work:
//
//   iteration j: issue the products of j - 1; read and compute the operands of
//   j, in wide registers; await the products; round
//
// Invariant: the registers of an operand are written again only after its
// product is complete, so that each tile needs them once.
//
//===----------------------------------------------------------------------===//

#include "ScheduleStrategy.h"

#include "mlir/IR/TypeUtilities.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether all that happens to `argument` is that products add to it,
/// one after the other; notes those whose result only goes to the next one.
static bool isAccumulator(scf::ForOp loop, BlockArgument argument,
                          llvm::SetVector<Operation *> &chained) {
  Operation *yield = loop.getBody()->getTerminator();
  for (Value value = argument; value.hasOneUse();) {
    auto issue = dyn_cast<MmaIssueOp>(*value.user_begin());
    if (!issue || issue.getAccumulator() != value ||
        issue->getBlock() != loop.getBody())
      return false;
    value = getAwait(issue).getResult();
    if (value.hasOneUse() && *value.user_begin() == yield)
      return loop.getTiedLoopYieldedValue(argument)->get() == value;
    chained.insert(issue);
  }
  return false;
}

/// Moves the releases between `issue` and `await` to after `await`. They may
/// release what `issue` reads, whose own await is about to go.
static void releaseAfter(MmaIssueOp issue, MmaAwaitOp await) {
  Operation *last = await;
  for (Operation *op = issue->getNextNode(); op != await;) {
    Operation *next = op->getNextNode();
    if (isa<RingReleaseOp>(op)) {
      op->moveAfter(last);
      last = op;
    }
    op = next;
  }
}

/// Removes the awaits between products that add to the same sum. Fails if a
/// product does more than add to a loop-carried tile.
static Reason chainSums(SplitLoop &split) {
  scf::ForOp loop = split.loop;
  Block *body = loop.getBody();
  llvm::SetVector<Operation *> chained;
  for (MmaIssueOp product : split.products) {
    Value sum = product.getAccumulator();
    while (auto await = sum.getDefiningOp<MmaAwaitOp>())
      sum = await.getPending().getDefiningOp<MmaIssueOp>().getAccumulator();
    auto argument = dyn_cast<BlockArgument>(sum);
    if (argument && argument.getOwner() == body &&
        argument != loop.getInductionVar() &&
        isAccumulator(loop, argument, chained))
      continue;
    return "a product does more than add to what the loop carries";
  }
  for (Operation *issue : chained) {
    MmaAwaitOp await = getAwait(cast<MmaIssueOp>(issue));
    auto next = cast<MmaIssueOp>(*await->user_begin());
    next.getAccumulatorMutable().assign(await.getPending());
    next.getResult().setType(await.getPending().getType());
    await.erase();
    releaseAfter(cast<MmaIssueOp>(issue), getAwait(next));
  }
  return Reason::none();
}

/// Checks whether threads compute an operand of `product` in each iteration. An
/// operand that threads only read goes right into the registers that the
/// product before reads.
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

/// Proposes that all products run late.
static Proposal issueLate(SplitLoop &split) {
  Proposal proposal;
  for (MmaIssueOp product : split.products) {
    widenOperand(product);
    proposal.order.products.push_back(
        {product, kLastStage, /*startsAlone=*/false,
         /*isComputedAhead=*/hasComputedOperand(product)});
  }
  return proposal;
}

/// Proposes that all products complete late.
static Proposals completeLate(SplitLoop &split) {
  OrReason<MmaRetireOp> retire = split.retireLate(split.products);
  if (!retire)
    return retire.getReason();
  Proposal proposal;
  for (MmaIssueOp product : split.products)
    proposal.order.products.push_back({product});
  proposal.order.late = {*retire};
  // The sums take no registers that the loop does not take as it is.
  proposal.limit = std::nullopt;
  return SmallVector<Proposal>{proposal};
}

Proposals sm::proposeSums(SplitLoop &split, const LoopHints &) {
  if (Reason reason = chainSums(split))
    return reason;
  if (llvm::any_of(split.products, hasComputedOperand))
    return SmallVector<Proposal>{issueLate(split)};
  return completeLate(split);
}

Reason sm::findSumFault(const SplitLoop &split, const LoopSchedule &) {
  MmaIssueOp last = split.products.back();
  auto retire = dyn_cast<MmaRetireOp>(last->getNextNode());
  if (!retire || getSchedule(last).getOrder() < getSchedule(retire).getOrder())
    return Reason::none();
  return "an operand is overwritten, or its only slot released, before the "
         "products of the next iteration can be issued";
}
