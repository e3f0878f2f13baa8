//===- LayoutPropagation.cpp - Layouts along operations ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transfer functions of the layout assignment, along def-use chains: from a
// tile to the results of its users, and back to the operands from which it is
// computed.
//
//===----------------------------------------------------------------------===//

#include "LayoutAssignment.h"

#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Layout/Algebra.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Checks whether `count` tiles like `part` have as many elements as `whole`.
static bool isLargePart(Value part, int64_t count, Value whole) {
  return cast<RankedTensorType>(part.getType()).getNumElements() * count >=
         cast<RankedTensorType>(whole.getType()).getNumElements();
}

bool LayoutAssignment::propagateToAll(Operation *op, const Layout &layout) {
  if (!isElementwise(op) && !isa<tile::ScanOp, tile::ScanWithOp>(op))
    return false;
  for (Value operand : op->getOperands())
    assign(operand, layout);
  for (Value result : op->getResults())
    assign(result, layout);
  return true;
}

void LayoutAssignment::propagateToUse(OpOperand &use, const Layout &layout) {
  unsigned number = use.getOperandNumber();
  Operation *op = use.getOwner();
  if (propagateToAll(op, layout))
    return;
  TypeSwitch<Operation *>(op)
      .Case([&](tile::ReduceOp reduce) {
        assign(reduce,
               sm::getReduceLayout(layout, reduce.getAxis(), reduce.getKeep()));
      })
      .Case([&](tile::ReduceWithOp reduce) {
        for (Value source : reduce.getSources())
          assign(source, layout);
        for (Value result : reduce.getResults())
          assign(result, sm::getReduceLayout(layout, reduce.getAxis(), {}));
      })
      .Case([&](tile::RearrangeOp rearrange) {
        // A small part of the result does not determine its layout.
        if (isLargePart(use.get(), rearrange.getSources().size(),
                        rearrange.getResult()))
          if (std::optional<Layout> made =
                  getRearranged(rearrange, number, layout))
            assign(rearrange, *made);
      })
      .Case([&](tile::AtomicOp atomic) {
        if (use.get() == atomic.getValue() || use.get() == atomic.getExpected())
          propagateToSources(atomic, layout);
      })
      .Case([&](tile::ExpandDimsOp expand) {
        assign(expand, layout::insertDim(layout, expand.getAxis()));
      })
      .Case([&](tile::TransposeOp transpose) {
        assign(transpose, layout::permuteDims(layout, {1, 0}));
      })
      .Case([&](tile::BroadcastOp broadcast) {
        auto type = cast<RankedTensorType>(broadcast.getType());
        for (const Layout &candidate : getCandidates(type.getShape())) {
          llvm::Expected<Layout> source =
              sm::getBroadcastSource(candidate, layout.getShape());
          if (source && *source == layout)
            assign(broadcast, candidate);
          if (!source)
            llvm::consumeError(source.takeError());
        }
      })
      .Case([&](scf::ForOp loop) {
        if (number >= loop.getNumControlOperands())
          assign(loop.getRegionIterArg(number - loop.getNumControlOperands()),
                 layout);
      })
      .Case([&](scf::WhileOp loop) {
        assign(loop.getBeforeArguments()[number], layout);
      })
      .Case([&](scf::ConditionOp condition) {
        if (number > 0)
          assign(condition.getParentOp().getAfterArguments()[number - 1],
                 layout);
      })
      .Case([&](scf::YieldOp yield) {
        Operation *parent = yield->getParentOp();
        if (auto loop = dyn_cast<scf::WhileOp>(parent))
          assign(loop.getBeforeArguments()[number], layout);
        else
          assign(parent->getResult(number), layout);
      });
}

void LayoutAssignment::propagateToSource(Value value, const Layout &layout) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return propagateToArgument(argument, layout);
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  unsigned number = result.getResultNumber();
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    assign(branch.thenYield().getOperand(number), layout);
    assign(branch.elseYield().getOperand(number), layout);
  } else if (!isa<scf::ForOp, scf::WhileOp>(op)) {
    propagateToSources(op, layout);
  }
}

void LayoutAssignment::propagateToArgument(BlockArgument argument,
                                           const Layout &layout) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    assign(loop.getInitArgs()[number], layout);
    assign(loop.getYieldedValues()[number], layout);
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    unsigned number = argument.getArgNumber();
    if (argument.getOwner() == loop.getBeforeBody()) {
      assign(loop.getInits()[number], layout);
      assign(loop.getYieldOp().getOperand(number), layout);
    } else {
      assign(loop.getConditionOp().getArgs()[number], layout);
    }
  }
}

void LayoutAssignment::propagateToSources(Operation *op, const Layout &layout) {
  if (propagateToAll(op, layout))
    return;
  TypeSwitch<Operation *>(op)
      .Case([&](tile::ReduceOp reduce) {
        auto type = cast<RankedTensorType>(reduce.getSource().getType());
        for (const Layout &candidate : getCandidates(type.getShape())) {
          llvm::Expected<Layout> reduced = sm::getReduceLayout(
              candidate, reduce.getAxis(), reduce.getKeep());
          if (reduced && *reduced == layout)
            assign(reduce.getSource(), candidate);
          if (!reduced)
            llvm::consumeError(reduced.takeError());
        }
      })
      .Case([&](tile::RearrangeOp rearrange) {
        for (auto [number, source] : llvm::enumerate(rearrange.getSources()))
          if (!isLargePart(rearrange.getResult(), 1, source))
            continue;
          else if (std::optional<Layout> made =
                       getRearrangedSource(rearrange, number, layout))
            assign(source, *made);
      })
      .Case([&](tile::AtomicOp atomic) {
        for (Value tile :
             {atomic.getValue(), atomic.getExpected(), Value(atomic.getOld())})
          if (tile)
            assign(tile, layout);
      })
      .Case([&](tile::ExpandDimsOp expand) {
        assign(expand.getSource(), layout::sliceDim(layout, expand.getAxis()));
      })
      .Case([&](tile::BroadcastOp broadcast) {
        auto type = cast<RankedTensorType>(broadcast.getSource().getType());
        assign(broadcast.getSource(),
               sm::getBroadcastSource(layout, type.getShape()));
      })
      .Case([&](tile::TransposeOp transpose) {
        assign(transpose.getSource(), layout::permuteDims(layout, {1, 0}));
      })
      .Case([&](tile::LoadOp load) {
        for (auto [index, axes] :
             llvm::zip_equal(load.getIndices(), load.getIndexAxes()))
          if (isa<RankedTensorType>(index.getType()))
            assign(index, getGatherLayout(layout, axes));
      });
}
