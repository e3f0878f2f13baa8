//===- WholeRows.cpp - Rows of one tile stay in registers -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WholeRows.h"
#include "Roles/TmaFetch.h"

#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/Layouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// The size
//===----------------------------------------------------------------------===//

/// Returns the size that `loop` walks from its start in tiles, and not by
/// positions.
static std::optional<WalkedSize> getWalkedSize(scf::ForOp loop) {
  auto size = loop.getUpperBound().getDefiningOp<tile::SizeOp>();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!size || !size.getSize().getSingleSymbol() || !step || *step < 2 ||
      getConstantIntValue(loop.getLowerBound()) != 0)
    return std::nullopt;
  return WalkedSize{size.getSize().getSingleSymbol(), *step};
}

static bool mayStay(scf::ForOp loop) {
  bool isSmall = true;
  loop.walk([&](LoadOp load) {
    if (auto tile = dyn_cast<RankedTensorType>(load.getType()))
      isSmall &=
          getLayout(tile).getSize(layout::kRegister) <= cost::kMostKeptElements;
  });
  return isSmall;
}

std::optional<WalkedSize> sm::findWalkedSize(KernelOp kernel) {
  SmallVector<WalkedSize> seen;
  std::optional<WalkedSize> found;
  kernel.walk([&](scf::ForOp loop) {
    std::optional<WalkedSize> walked = getWalkedSize(loop);
    if (!walked || !mayStay(loop))
      return WalkResult::advance();
    if (llvm::any_of(seen, [&](const WalkedSize &other) {
          return other.name == walked->name && other.extent == walked->extent;
        })) {
      found = walked;
      return WalkResult::interrupt();
    }
    seen.push_back(*walked);
    return WalkResult::advance();
  });
  return found;
}

void sm::fixSize(KernelOp kernel, const WalkedSize &walked) {
  tile::SizeAttr size;
  kernel.walk([&](tile::SizeOp op) {
    if (op.getSize().getSingleSymbol() != walked.name)
      return;
    size = op.getSize();
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, op.getLoc(), walked.extent)
            .getResult());
    op.erase();
  });
  addConditions(kernel, tile::SizeAttr::getNormalized(
                            kernel.getContext(), size.getSymbols(),
                            size.getExpr() - walked.extent));
}

/// Says of accesses that start and end at numbers that they are in bounds.
template <typename OpTy>
static void markInBounds(OpTy op, Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return;
  SmallVector<bool> flags;
  SmallVector<tile::IndexAxes> axes = op.getIndexAxes();
  for (auto [i, dim] : llvm::enumerate(op.getDims())) {
    std::optional<int64_t> start;
    if (op.getIndices()[dim].getType().isIndex())
      start = getConstantIntValue(op.getIndices()[dim]);
    std::optional<int64_t> limit = getConstantIntValue(op.getLimits()[i]);
    flags.push_back(op.isInBounds(i) ||
                    (start && limit && *start >= 0 &&
                     *start + tile.getDimSize(axes[i].first) <= *limit));
  }
  if (llvm::is_contained(flags, true))
    op.setInBounds(flags);
}

void sm::markInBounds(KernelOp kernel) {
  kernel.walk([](LoadOp op) { ::markInBounds(op, op.getType()); });
  kernel.walk([](StoreOp op) { ::markInBounds(op, op.getValue().getType()); });
}

//===----------------------------------------------------------------------===//
// The loads
//===----------------------------------------------------------------------===//

/// Checks whether `store` skips what `load` has not loaded: it is of the same
/// box.
static bool isOfSameBox(StoreOp store, LoadOp load) {
  if (store.getDims() != load.getDims() || store.getMask() != load.getMask() ||
      store.getAxesAttr() != load.getAxesAttr() ||
      !llvm::equal(store.getLimits(), load.getLimits()))
    return false;
  return llvm::all_of(load.getDims(), [&](int64_t dim) {
    return store.getIndices()[dim] == load.getIndices()[dim];
  });
}

/// Checks whether nothing depends on what `load` has as elements that are not
/// valid.
static bool isFillUnused(LoadOp load) {
  SmallVector<Value> rest = {load.getResult()};
  while (!rest.empty()) {
    Value value = rest.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (auto store = dyn_cast<StoreOp>(user)) {
        if (!isOfSameBox(store, load))
          return false;
        continue;
      }
      if (!user->hasTrait<OpTrait::Elementwise>() ||
          !isMemoryEffectFree(user) || user->getNumResults() != 1)
        return false;
      rest.push_back(user->getResult(0));
    }
  }
  return true;
}

/// Checks whether `other`, which comes later, loads what `load` has.
static bool loadsTheSame(LoadOp load, LoadOp other) {
  return llvm::equal(load.getOperands(), other.getOperands()) &&
         load.getType() == other.getType() &&
         load.getDims() == other.getDims() &&
         load.getAxesAttr() == other.getAxesAttr() &&
         load.getInBounds() == other.getInBounds() &&
         (load.getFillAttr() == other.getFillAttr() || isFillUnused(other));
}

unsigned sm::mergeLoads(KernelOp kernel) {
  DominanceInfo dominance(kernel);
  SmallVector<LoadOp> kept;
  unsigned merged = 0;
  SmallVector<LoadOp> loads;
  kernel.walk([&](LoadOp load) { loads.push_back(load); });
  for (LoadOp load : loads) {
    if (load.getGlobalType().isWritable() ||
        !isa<RankedTensorType>(load.getType()))
      continue;
    auto *known = llvm::find_if(kept, [&](LoadOp earlier) {
      return dominance.dominates(earlier.getOperation(), load) &&
             loadsTheSame(earlier, load);
    });
    if (known == kept.end()) {
      kept.push_back(load);
      continue;
    }
    load.replaceAllUsesWith(known->getResult());
    load.erase();
    ++merged;
  }
  return merged;
}
