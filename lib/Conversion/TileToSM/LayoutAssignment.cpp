//===- LayoutAssignment.cpp - A layout for each tile ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutAssignment.h"

#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Layout/Algebra.h"
#include "tessera/Layout/RegisterTile.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <numeric>

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Of wgmma.
static constexpr int64_t kInstructionRows = 64;

bool sm::isElementwise(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumResults() > 0 && op->getNumRegions() == 0 &&
         op->getNumOperands() > 0 &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

static RankedTensorType findTileType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// A result of a loop is its argument after the last iteration.
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

/// The values with the representative `value`.
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
  return op && plan.fetches.contains(op);
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
// Layouts that tiles may have
//===----------------------------------------------------------------------===//

llvm::Expected<Layout> sm::getDefaultLayout(RankedTensorType type,
                                            int64_t warps) {
  // A tile without dimensions is held by everyone, as a reduced line is.
  if (type.getRank() == 0) {
    llvm::Expected<Layout> line = layout::getBlocked({1}, 1, warps);
    return line ? layout::getReduced(*line, 0) : std::move(line);
  }
  int64_t wide = 16 / sm::getElementBytes(type.getElementType());
  return layout::getBlocked(type.getShape(),
                            std::gcd(wide, type.getShape().back()), warps);
}

Layout LayoutAssignment::getDefault(RankedTensorType type) const {
  // Cannot fail: the sizes of all tiles have been checked.
  return llvm::cantFail(getDefaultLayout(type, plan.warps));
}

std::vector<Layout>
LayoutAssignment::getCandidates(ArrayRef<int64_t> shape) const {
  std::vector<Layout> candidates;
  if (shape.size() != 2)
    return candidates;
  // Rows that repeat are for kernels whose products repeat them.
  auto isOffered = [&](int64_t rows) {
    return plan.repeatsRows || rows >= kInstructionRows;
  };
  llvm::Expected<Layout> rows =
      layout::getAccumulator(shape[0], shape[1], plan.warpgroups);
  if (!rows)
    llvm::consumeError(rows.takeError());
  else if (isOffered(shape[0]))
    candidates.push_back(*rows);
  llvm::Expected<Layout> columns =
      layout::getAccumulator(shape[1], shape[0], plan.warpgroups);
  if (!columns)
    llvm::consumeError(columns.takeError());
  else if (isOffered(shape[1]))
    candidates.push_back(llvm::cantFail(layout::permuteDims(*columns, {1, 0})));
  return candidates;
}

std::optional<Layout>
LayoutAssignment::findReduceSource(RankedTensorType type, unsigned axis,
                                   std::optional<int64_t> keep,
                                   const Layout *wanted) const {
  auto reducesRight = [&](const Layout &candidate) {
    llvm::Expected<Layout> reduced = sm::getReduceLayout(candidate, axis, keep);
    if (reduced)
      return !wanted || *reduced == *wanted;
    llvm::consumeError(reduced.takeError());
    return false;
  };
  if (wanted)
    for (const Layout &candidate : getCandidates(type.getShape()))
      if (reducesRight(candidate))
        return candidate;
  if (type.getRank() == 0)
    return std::nullopt;
  // Wide vectors first; as wide as what is kept is always legal along rows.
  int64_t row = type.getShape().back();
  for (int64_t vector :
       {int64_t(16) / sm::getElementBytes(type.getElementType()), int64_t(8),
        int64_t(4), int64_t(2), int64_t(1), keep.value_or(1)}) {
    if (vector < 1 || row % vector != 0)
      continue;
    llvm::Expected<Layout> candidate =
        layout::getBlocked(type.getShape(), vector, plan.warps);
    if (candidate && reducesRight(*candidate))
      return *candidate;
    if (!candidate)
      llvm::consumeError(candidate.takeError());
  }
  if (!keep)
    return std::nullopt;
  // What is kept is spread over the threads, and each goes through its share
  // of the rest: the factors of the extent do not matter then.
  SmallVector<int64_t> kept(type.getShape());
  int64_t repeats = kept[axis] / *keep;
  kept[axis] = *keep;
  llvm::Expected<Layout> part = layout::getBlocked(
      kept, /*vector=*/axis + 1 == kept.size() ? *keep : 1, plan.warps);
  if (!part) {
    llvm::consumeError(part.takeError());
    return std::nullopt;
  }
  llvm::Expected<Layout> candidate =
      layout::repeat(*part, layout::kRegister, repeats, axis);
  if (candidate && reducesRight(*candidate))
    return *candidate;
  if (!candidate)
    llvm::consumeError(candidate.takeError());
  return std::nullopt;
}

Layout LayoutAssignment::getGatherLayout(const Layout &tile,
                                         unsigned position) {
  // Dropping dimensions keeps a layout one.
  Layout line = tile;
  for (unsigned dim = tile.getRank(); dim-- > 0;)
    if (dim != position)
      line = llvm::cantFail(layout::sliceDim(line, dim));
  return llvm::cantFail(layout::dropDuplicates(line, layout::kRegister));
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
    // In program order: lists of uses have none that a reader would know.
    llvm::sort(uses, [&](OpOperand *a, OpOperand *b) {
      return std::pair(order[a->getOwner()], a->getOperandNumber()) <
             std::pair(order[b->getOwner()], b->getOperandNumber());
    });
    for (OpOperand *use : uses)
      propagateToUse(*use, layout);
  }
}

void LayoutAssignment::propagateToUse(OpOperand &use, const Layout &layout) {
  unsigned number = use.getOperandNumber();
  Operation *op = use.getOwner();
  if (isElementwise(op)) {
    for (Value operand : op->getOperands())
      assign(operand, layout);
    for (Value result : op->getResults())
      assign(result, layout);
    return;
  }
  TypeSwitch<Operation *>(op)
      .Case([&](tile::ReduceOp reduce) {
        assign(reduce,
               sm::getReduceLayout(layout, reduce.getAxis(), reduce.getKeep()));
      })
      .Case([&](tile::ScanOp scan) { assign(scan, layout); })
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
  if (isElementwise(op)) {
    for (Value value : op->getOperands())
      assign(value, layout);
    for (Value value : op->getResults())
      assign(value, layout);
    return;
  }
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
      .Case([&](tile::ScanOp scan) { assign(scan.getSource(), layout); })
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
        unsigned position = 0;
        for (Value index : load.getIndices()) {
          if (findTileType(index))
            assign(index, getGatherLayout(layout, position));
          position += !index.getType().isIndex();
        }
      });
}

Layout LayoutAssignment::getOperandALayout(const ProductPlan &product,
                                           int64_t bytes) const {
  // Cannot fail: M and K are multiples of the instruction's, or M divides it.
  Layout layout = llvm::cantFail(
      layout::getOperandA(product.m, product.k, bytes, plan.warpgroups));
  return product.a.transposed
             ? llvm::cantFail(layout::permuteDims(layout, {1, 0}))
             : layout;
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

LayoutAssignment::LayoutAssignment(tile::KernelOp kernel,
                                   const KernelPlan &plan)
    : plan(plan) {
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { order.try_emplace(op, order.size()); });

  // What tensor cores prescribe.
  for (auto &[op, product] : plan.products) {
    if (!product.onTensorCores)
      continue;
    auto gemm = cast<tile::GemmOp>(op);
    Layout accumulator = llvm::cantFail(
        layout::getAccumulator(product.m, product.n, plan.warpgroups));
    assign(gemm.getResult(), accumulator);
    assign(gemm.getAccumulator(), accumulator);
    if (!product.a.shared) {
      Type element =
          cast<RankedTensorType>(product.a.tile.getType()).getElementType();
      assign(product.a.tile,
             getOperandALayout(product, sm::getElementBytes(element)));
    }
  }
  propagate();

  // Other products, and accesses to memory. Large tiles come first, so that the
  // rows and columns that are combined with them follow.
  SmallVector<Value> tiles;
  kernel.walk([&](Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case([&](tile::GemmOp gemm) { tiles.push_back(gemm); })
        .Case([&](tile::LoadOp load) { tiles.push_back(load); })
        .Case<tile::StoreOp, tile::AtomicAddOp>(
            [&](auto write) { tiles.push_back(write.getValue()); });
  });
  // Of equal sizes, the first one goes first.
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

  // The rest, with loop-carried tiles before what is computed from them.
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
