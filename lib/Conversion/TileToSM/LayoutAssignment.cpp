//===- LayoutAssignment.cpp - A layout for each tile ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worklist algorithm: `pending` holds the tiles with a new layout, and each
// of them propagates its layout to its uses and sources. Anchors are added in
// three rounds (tensor cores, memory accesses, the rest), and each round
// propagates until the list is empty.
//
// Invariant: a tile has at most one layout, which never changes. Results do not
// depend on the order of use lists, since uses are sorted in program order.
//
//===----------------------------------------------------------------------===//

#include "LayoutAssignment.h"

#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/Tile/IR/Asm.h"
#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/RegisterTile.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

bool sm::isElementwise(Operation *op) {
  return tile::isArithmetic(op) && op->getNumResults() > 0 &&
         op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

static RankedTensorType findTileType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// Returns the region argument of a loop for its result: the result is the
/// argument after the last iteration.
static Value getRepresentative(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return value;
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
    return loop.getRegionIterArg(result.getResultNumber());
  if (auto loop = dyn_cast<scf::WhileOp>(result.getOwner()))
    return loop.getAfterArguments()[result.getResultNumber()];
  return value;
}

/// Returns the values with the representative `value`.
static SmallVector<Value, 2> getMembers(Value value) {
  SmallVector<Value, 2> members = {value};
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return members;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    members.push_back(loop.getTiedLoopResult(argument));
  else if (auto loop = dyn_cast<scf::WhileOp>(parent))
    if (argument.getOwner() == loop.getAfterBody())
      members.push_back(loop.getResult(argument.getArgNumber()));
  return members;
}

//===----------------------------------------------------------------------===//
// Free values
//===----------------------------------------------------------------------===//

bool LayoutAssignment::isFetched(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && assigned.fetches.contains(op);
}

bool LayoutAssignment::isRecomputable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !findTileType(value) || op->getNumResults() != 1)
    return false;
  if (auto known = recomputable.find(value); known != recomputable.end())
    return known->second;
  bool result = false;
  if (isa<arith::ConstantOp, tensor::SplatOp, tile::IotaOp, tile::IndicesOp,
          tile::ValidOp>(op))
    result = true;
  else if (isElementwise(op) ||
           isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::TransposeOp>(op))
    result = llvm::all_of(op->getOperands(), [&](Value operand) {
      return !findTileType(operand) || isRecomputable(operand);
    });
  recomputable[value] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

const Layout &LayoutAssignment::get(Value value) const {
  return layouts.find(getRepresentative(value))->second;
}

void LayoutAssignment::assign(Value value, const Layout &layout) {
  value = getRepresentative(value);
  RankedTensorType type = findTileType(value);
  if (!type || ArrayRef<int64_t>(layout.getShape()) != type.getShape() ||
      isFree(value))
    return;
  if (layouts.try_emplace(value, layout).second)
    pending.push_back(value);
}

void LayoutAssignment::assign(Value value, llvm::Expected<Layout> layout) {
  if (layout)
    assign(value, *layout);
  else
    llvm::consumeError(layout.takeError());
}

void LayoutAssignment::propagate() {
  while (!pending.empty()) {
    Value value = pending.front();
    pending.pop_front();
    Layout layout = layouts.find(value)->second;
    SmallVector<OpOperand *> uses;
    for (Value member : getMembers(value)) {
      propagateToSource(member, layout);
      for (OpOperand &use : member.getUses())
        uses.push_back(&use);
    }
    // In program order, since the order of use lists is arbitrary.
    llvm::sort(uses, [&](OpOperand *a, OpOperand *b) {
      return std::pair(order[a->getOwner()], a->getOperandNumber()) <
             std::pair(order[b->getOwner()], b->getOperandNumber());
    });
    for (OpOperand *use : uses)
      propagateToUse(*use, layout);
  }
}

Layout LayoutAssignment::getOperandALayout(const ProductPlan &product,
                                           int64_t bytes) const {
  // Cannot fail: M and K are multiples of those of the instruction, or M
  // divides it.
  Layout layout = llvm::cantFail(
      layout::getOperandA(product.m, product.k, bytes, assigned.warpgroups));
  return product.a.transposed
             ? llvm::cantFail(layout::permuteDims(layout, {1, 0}))
             : layout;
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

LayoutAssignment::LayoutAssignment(tile::KernelOp kernel,
                                   const ProductAssignments &assigned)
    : assigned(assigned) {
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { order.try_emplace(op, order.size()); });

  // Layouts that tensor cores prescribe.
  for (auto &[op, product] : assigned.products) {
    if (!product.onTensorCores)
      continue;
    auto gemm = cast<tile::GemmOp>(op);
    Layout accumulator = llvm::cantFail(
        layout::getAccumulator(product.m, product.n, assigned.warpgroups));
    assign(gemm.getResult(), accumulator);
    assign(gemm.getAccumulator(), accumulator);
    if (!product.a.shared) {
      Type element = product.a.getElementType();
      assign(product.a.tile,
             getOperandALayout(product, sm::getElementBytes(element)));
    }
  }
  propagate();

  // Other products, and accesses to memory. Large tiles come first, so that
  // rows and columns that are combined with them get matching layouts.
  SmallVector<Value> tiles;
  kernel.walk([&](Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case([&](tile::GemmOp gemm) { tiles.push_back(gemm); })
        .Case([&](tile::LoadOp load) { tiles.push_back(load); })
        .Case<tile::StoreOp, tile::AtomicOp>(
            [&](auto write) { tiles.push_back(write.getValue()); });
  });
  // Among tiles of equal size, the first one comes first.
  std::multimap<int64_t, Value, std::greater<>> bySize;
  for (Value tile : tiles)
    if (RankedTensorType type = findTileType(tile))
      bySize.emplace(type.getNumElements(), tile);
  for (auto [size, tile] : bySize) {
    assign(tile, getDefault(findTileType(tile)));
    if (auto gemm = tile.getDefiningOp<tile::GemmOp>())
      assign(gemm.getAccumulator(), getDefault(findTileType(tile)));
    propagate();
  }

  // All other tiles. Loop-carried tiles come before the tiles that are computed
  // from them.
  auto assignDefault = [&](Value value) {
    if (RankedTensorType type = findTileType(value))
      assign(value, getDefault(type));
    propagate();
  };
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        assignDefault(argument);
    for (Value result : op->getResults())
      assignDefault(result);
  });
}
