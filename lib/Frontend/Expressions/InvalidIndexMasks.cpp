//===- InvalidIndexMasks.cpp - Masks of invalid positions -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A backward slice and a forward propagation. The slice finds the tiles from
// which positions are computed. The propagation marks those that depend on a
// partial tile. One walk then creates a mask after each marked tile; loops and
// conditions carry the masks of their `var`s as additional results.
//
//===----------------------------------------------------------------------===//

#include "InvalidIndexMasks.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::frontend;

/// The marks of markPositions() and markChoice(), which maskPositions()
/// removes.
static constexpr StringLiteral kPositionsAttrName = "frontend.positions";
static constexpr StringLiteral kChoiceAttrName = "frontend.choice";

/// Returns the tiles among the index operands of a load, a store or an atomic
/// addition.
static SmallVector<OpOperand *> getPositions(Operation *op) {
  SmallVector<OpOperand *> positions;
  auto add = [&](MutableOperandRange indices) {
    for (OpOperand &index : indices)
      if (isa<RankedTensorType>(index.get().getType()))
        positions.push_back(&index);
  };
  if (auto load = dyn_cast<tile::LoadOp>(op))
    add(load.getIndicesMutable());
  else if (auto store = dyn_cast<tile::StoreOp>(op))
    add(store.getIndicesMutable());
  else if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    add(atomic.getIndicesMutable());
  return positions;
}

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// Returns the tiles that determine the validity of the elements of `value`.
static SmallVector<Value> getSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return {};
    unsigned number = argument.getArgNumber() - loop.getNumInductionVars();
    return {loop.getInitArgs()[number], loop.getYieldedValues()[number]};
  }
  Operation *op = value.getDefiningOp();
  if (op->hasAttr(kPositionsAttrName))
    return {};
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[number], loop.getYieldedValues()[number]};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield().getOperand(number),
            branch.elseYield().getOperand(number)};
  if (isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::TransposeOp,
          tile::RearrangeOp>(op) ||
      OpTrait::hasElementwiseMappableTraits(op))
    return llvm::filter_to_vector(op->getOperands(), isTile);
  return {};
}

/// Checks whether elements of an access may be outside of the tensor.
template <typename OpTy>
static bool mayLack(OpTy access) {
  for (auto [dim, index] : llvm::enumerate(access.getIndices()))
    if (!tile::isInBounds(index, access.getGlobalType(), dim))
      return true;
  return false;
}

/// Checks whether elements of `value` may be invalid regardless of its
/// operands.
static bool isSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto indices = dyn_cast_if_present<tile::IndicesOp>(op))
    return !tile::isFullRange(indices.getRange());
  auto load = dyn_cast_if_present<tile::LoadOp>(op);
  if (load)
    return !load.getFillAttr() && mayLack(load);
  auto atomic = dyn_cast_if_present<tile::AtomicOp>(op);
  return atomic && mayLack(atomic);
}

namespace {
class InvalidIndexMasks {
public:
  explicit InvalidIndexMasks(tile::KernelOp kernel)
      : kernel(kernel), rewriter(kernel.getContext()) {}

  void run() {
    if (findMasked())
      runBlock(kernel.getBody().front());
  }

private:
  bool findMasked();

  void runBlock(Block &block);
  void runLoop(scf::ForOp loop);
  void runBranch(scf::IfOp branch);
  void guard(OpOperand &position);

  Value makeMask(Operation *op);
  template <typename OpTy>
  Value makeAccessMask(OpTy access);
  Value makeRangeMask(Location loc, Value range, Value extent);
  /// Repeats the mask of an index to the shape of a tile.
  Value spread(Value mask, tile::IndexAxes axes, RankedTensorType type);
  Value makeSelectMask(arith::SelectOp select);
  /// Returns the mask of `value`, or all true, at the insertion point.
  Value getMask(Value value);
  /// Creates the conjunction of two masks. A null mask is all true.
  Value conjoin(Location loc, Value left, Value right);
  Value makeConstant(Location loc, RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(
            type, rewriter.getIntegerAttr(type.getElementType(), value)));
  }
  static RankedTensorType getMaskType(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return type.clone(IntegerType::get(type.getContext(), 1));
  }

  tile::KernelOp kernel;
  IRRewriter rewriter;
  /// Values that have a mask.
  llvm::DenseSet<Value> masked;
  /// The masks created so far.
  llvm::DenseMap<Value, Value> masks;
};
} // namespace

bool InvalidIndexMasks::findMasked() {
  llvm::SetVector<Value> reached;
  kernel.walk([&](Operation *op) {
    for (OpOperand *position : getPositions(op))
      reached.insert(position->get());
  });
  for (size_t i = 0; i < reached.size(); ++i) {
    SmallVector<Value> sources = getSources(reached[i]);
    reached.insert(sources.begin(), sources.end());
  }
  for (Value value : reached)
    if (isSource(value))
      masked.insert(value);
  if (masked.empty())
    return false;
  // Everything computed from these is masked, through loops as well.
  llvm::DenseMap<Value, SmallVector<Value>> users;
  for (Value value : reached)
    for (Value source : getSources(value))
      users[source].push_back(value);
  SmallVector<Value> open(masked.begin(), masked.end());
  while (!open.empty())
    for (Value user : users.lookup(open.pop_back_val()))
      if (masked.insert(user).second)
        open.push_back(user);
  return true;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void InvalidIndexMasks::runBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      runLoop(loop);
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      runBranch(branch);
      continue;
    }
    for (OpOperand *position : getPositions(&op))
      guard(*position);
    if (op.getNumResults() != 1 || !masked.contains(op.getResult(0)))
      continue;
    rewriter.setInsertionPointAfter(&op);
    masks[op.getResult(0)] = makeMask(&op);
  }
}

void InvalidIndexMasks::guard(OpOperand &position) {
  Value mask = masks.lookup(position.get());
  if (!mask)
    return;
  Location loc = position.getOwner()->getLoc();
  rewriter.setInsertionPoint(position.getOwner());
  auto type = cast<RankedTensorType>(position.get().getType());
  Value none = makeConstant(loc, type, -1);
  position.set(
      arith::SelectOp::create(rewriter, loc, mask, position.get(), none));
}

void InvalidIndexMasks::runLoop(scf::ForOp loop) {
  SmallVector<unsigned> numbers;
  for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i)
    if (masked.contains(loop.getRegionIterArg(i)) ||
        masked.contains(loop.getResult(i)))
      numbers.push_back(i);
  unsigned count = loop.getNumResults();
  if (!numbers.empty()) {
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> inits;
    for (unsigned number : numbers)
      inits.push_back(getMask(loop.getInitArgs()[number]));
    // Yields follow when the body has its masks.
    auto yieldsOwn = [](OpBuilder &, Location,
                        ArrayRef<BlockArgument> arguments) {
      return SmallVector<Value>(arguments.begin(), arguments.end());
    };
    loop = cast<scf::ForOp>(*cast<LoopLikeOpInterface>(loop.getOperation())
                                 .replaceWithAdditionalYields(
                                     rewriter, inits,
                                     /*replaceInitOperandUsesInLoop=*/false,
                                     yieldsOwn)
                                 ->getOperation());
    for (auto [i, number] : llvm::enumerate(numbers)) {
      masks[loop.getRegionIterArg(number)] = loop.getRegionIterArg(count + i);
      masks[loop.getResult(number)] = loop.getResult(count + i);
    }
  }
  runBlock(*loop.getBody());
  Operation *yield = loop.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  for (auto [i, number] : llvm::enumerate(numbers))
    yield->setOperand(count + i, getMask(yield->getOperand(number)));
}

void InvalidIndexMasks::runBranch(scf::IfOp branch) {
  for (Region &region : branch->getRegions())
    if (!region.empty())
      runBlock(region.front());
  SmallVector<unsigned> numbers;
  SmallVector<Type> types(branch.getResultTypes());
  for (OpResult result : branch.getResults())
    if (masked.contains(result)) {
      numbers.push_back(result.getResultNumber());
      types.push_back(getMaskType(result));
    }
  if (numbers.empty())
    return;
  for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> added;
    for (unsigned number : numbers)
      added.push_back(getMask(yield.getOperand(number)));
    yield.getResultsMutable().append(added);
  }
  unsigned count = branch.getNumResults();
  rewriter.setInsertionPoint(branch);
  auto made = scf::IfOp::create(rewriter, branch.getLoc(), types,
                                branch.getCondition(), /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  made.getThenRegion().takeBody(branch.getThenRegion());
  made.getElseRegion().takeBody(branch.getElseRegion());
  for (auto [i, number] : llvm::enumerate(numbers))
    masks[made.getResult(number)] = made.getResult(count + i);
  rewriter.replaceOp(branch, made.getResults().take_front(count));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value InvalidIndexMasks::getMask(Value value) {
  if (Value mask = masks.lookup(value))
    return mask;
  return makeConstant(value.getLoc(), getMaskType(value), 1);
}

Value InvalidIndexMasks::conjoin(Location loc, Value left, Value right) {
  if (!left || !right || left == right)
    return left ? left : right;
  return arith::AndIOp::create(rewriter, loc, left, right);
}

Value InvalidIndexMasks::makeMask(Operation *op) {
  if (auto indices = dyn_cast<tile::IndicesOp>(op))
    return tile::ValidOp::create(rewriter, op->getLoc(), indices.getRange());
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return makeAccessMask(load);
  if (auto atomic = dyn_cast<tile::AtomicOp>(op))
    return makeAccessMask(atomic);
  if (op->hasAttr(kChoiceAttrName))
    return makeSelectMask(cast<arith::SelectOp>(op));
  if (isa<tile::BroadcastOp>(op))
    return tile::BroadcastOp::create(rewriter, op->getLoc(),
                                     getMaskType(op->getResult(0)),
                                     masks.lookup(op->getOperand(0)));
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return tile::ExpandDimsOp::create(rewriter, op->getLoc(),
                                      masks.lookup(expand.getSource()),
                                      expand.getAxis());
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return tile::TransposeOp::create(rewriter, op->getLoc(),
                                     masks.lookup(transpose.getSource()));
  if (auto rearrange = dyn_cast<tile::RearrangeOp>(op))
    return tile::RearrangeOp::create(
        rewriter, op->getLoc(), getMaskType(op->getResult(0)),
        llvm::map_to_vector(rearrange.getSources(),
                            [&](Value source) { return getMask(source); }),
        rearrange.getOffset(), rearrange.getStrides(), rearrange.getToggle());
  Value mask;
  for (Value operand : op->getOperands())
    mask = conjoin(op->getLoc(), mask, masks.lookup(operand));
  return mask;
}

Value InvalidIndexMasks::makeSelectMask(arith::SelectOp select) {
  Location loc = select.getLoc();
  Value condition = select.getCondition();
  Value mask = masks.lookup(select.getTrueValue());
  if (mask != masks.lookup(select.getFalseValue()))
    mask = arith::SelectOp::create(rewriter, loc, condition,
                                   getMask(select.getTrueValue()),
                                   getMask(select.getFalseValue()));
  return conjoin(loc, mask, masks.lookup(condition));
}

/// Creates the mask of the positions of a range that are valid and inside of a
/// dimension. Positions may exceed the 32 bits of `tile.indices`.
Value InvalidIndexMasks::makeRangeMask(Location loc, Value range,
                                       Value extent) {
  auto type = cast<tile::RangeType>(range.getType());
  // A range that walks the dimension has the limit of the tensor.
  if (type.getDimension() && tile::isNonNegative(range))
    return tile::ValidOp::create(rewriter, loc, range);
  Type indexType = rewriter.getIndexType();
  auto unnamed =
      tile::RangeType::get(rewriter.getContext(), type.getExtent(), {});
  Value start = tile::StartOp::create(rewriter, loc, indexType, range);
  Value limit = tile::LimitOp::create(rewriter, loc, indexType, range);
  auto makeBelow = [&](Value bound) -> Value {
    Value part = tile::RangeOp::create(rewriter, loc, unnamed, start, bound,
                                       /*full=*/false);
    return tile::ValidOp::create(rewriter, loc, part);
  };
  Value inside =
      makeBelow(arith::MinSIOp::create(rewriter, loc, limit, extent));
  if (tile::isNonNegative(range))
    return inside;
  Value negative = makeBelow(arith::ConstantIndexOp::create(rewriter, loc, 0));
  Value all = makeConstant(loc, cast<RankedTensorType>(negative.getType()), 1);
  return arith::AndIOp::create(
      rewriter, loc, inside,
      arith::XOrIOp::create(rewriter, loc, negative, all));
}

Value InvalidIndexMasks::spread(Value mask, tile::IndexAxes axes,
                                RankedTensorType type) {
  Location loc = mask.getLoc();
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (!axes.contains(axis))
      mask = tile::ExpandDimsOp::create(rewriter, loc, mask, axis);
  if (mask.getType() == type)
    return mask;
  return tile::BroadcastOp::create(rewriter, loc, type, mask);
}

/// Creates the mask of the elements of an access that are below the limits of
/// its ranges and inside of the tensor.
template <typename OpTy>
Value InvalidIndexMasks::makeAccessMask(OpTy access) {
  Location loc = access.getLoc();
  RankedTensorType type = getMaskType(access->getResult(0));
  tile::GlobalType global = access.getGlobalType();
  SmallVector<tile::IndexAxes> axes = access.getIndexAxes();
  Value mask;
  for (auto [dim, index] : llvm::enumerate(access.getIndices())) {
    if (tile::isInBounds(index, global, dim))
      continue;
    tile::SizeAttr size = global.getShape()[dim];
    Value extent =
        tile::SizeOp::create(rewriter, loc, rewriter.getIndexType(), size);
    if (index.getType().isIndex()) {
      Value isInside = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::ult, index, extent);
      mask = conjoin(loc, mask,
                     tensor::SplatOp::create(rewriter, loc, type, isInside));
      continue;
    }
    if (isa<tile::RangeType>(index.getType())) {
      mask =
          conjoin(loc, mask,
                  spread(makeRangeMask(loc, index, extent), axes[dim], type));
      continue;
    }
    // Below 0 is above all sizes.
    extent = arith::IndexCastOp::create(rewriter, loc, rewriter.getI32Type(),
                                        extent);
    extent = tensor::SplatOp::create(
        rewriter, loc, cast<RankedTensorType>(index.getType()), extent);
    Value isInside = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, index, extent);
    mask = conjoin(loc, mask, spread(isInside, axes[dim], type));
  }
  return mask;
}

void frontend::markPositions(Value tile) {
  Operation *op = tile.getDefiningOp();
  op->setAttr(kPositionsAttrName, UnitAttr::get(op->getContext()));
}

void frontend::markChoice(arith::SelectOp select) {
  select->setAttr(kChoiceAttrName, UnitAttr::get(select.getContext()));
}

void frontend::maskPositions(tile::KernelOp kernel) {
  InvalidIndexMasks(kernel).run();
  kernel.walk([](Operation *op) {
    op->removeAttr(kPositionsAttrName);
    op->removeAttr(kChoiceAttrName);
  });
}
