//===- PadExtents.cpp - Tiles that spread over threads ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-pad-extents. A tile whose extent has a large odd factor would
// be replicated in many threads (PaddedShape.h). The pass gives all tiles of a
// class of equal extents the padded extent. Padded elements are unspecified.
// Memory accesses skip them by the limits of their ranges, and ops that combine
// elements see a neutral element.
//
//===----------------------------------------------------------------------===//

#include "PaddingValues.h"
#include "Reductions/PartialResults.h"
#include "TileExtents.h"
#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"
#include "tessera/Dialect/Tile/IR/SourceType.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"
#include "tessera/Layout/PaddedShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

namespace tessera::tile {
#define GEN_PASS_DEF_PADEXTENTSPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

namespace {
/// Chooses the extents to which classes of dimensions are padded.
class ExtentChoice {
public:
  explicit ExtentChoice(KernelOp kernel) : extents(kernel) { choose(kernel); }

  ArrayRef<Value> getTiles() const { return extents.getTiles(); }
  bool isAnyPadded() const { return !padded.empty(); }

  /// Returns the new extent of dimension `dim` of `tile`, which is now
  /// `extent`.
  int64_t getExtent(Value tile, unsigned dim, int64_t extent) const {
    auto known = padded.find(extents.getClass(tile, dim));
    return known == padded.end() ? extent : known->second;
  }

private:
  void choose(KernelOp kernel);

  TileExtents extents;
  llvm::DenseMap<unsigned, int64_t> padded;
};
} // namespace

/// Checks whether `tile` only goes from memory to products, which read it from
/// shared memory.
static bool isOnlyShared(Value tile) {
  return tile.getDefiningOp<LoadOp>() &&
         llvm::all_of(tile.getUsers(), llvm::IsaPred<GemmOp>);
}

/// Layouts propagate from large tiles to the tiles that are computed with them,
/// so the largest tile of a class determines its extent.
void ExtentChoice::choose(KernelOp kernel) {
  int64_t warps = countWantedWarps(kernel);
  // Among tiles of equal size, the first one counts.
  std::multimap<int64_t, Value, std::greater<>> bySize;
  for (Value tile : extents.getTiles())
    if (RankedTensorType type = getTileType(tile);
        !type.getElementType().isInteger(1) && !isOnlyShared(tile))
      bySize.emplace(type.getNumElements(), tile);
  llvm::DenseSet<unsigned> decided;
  for (Value tile : extents.getTiles())
    for (auto [dim, extent] : llvm::enumerate(getTileType(tile).getShape()))
      if (unsigned number = extents.getClass(tile, dim);
          extents.isRounded(number) && extents.mayChange(number)) {
        decided.insert(number);
        if (!llvm::isPowerOf2_64(extent))
          padded[number] = llvm::PowerOf2Ceil(extent);
      }
  for (auto [size, tile] : bySize) {
    RankedTensorType type = getTileType(tile);
    layout::Point shape;
    SmallVector<bool> mayGrow;
    for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
      unsigned number = extents.getClass(tile, dim);
      shape.push_back(getExtent(tile, dim, extent));
      mayGrow.push_back(extents.mayChange(number) && extent > 1 &&
                        decided.insert(number).second);
    }
    if (!llvm::is_contained(mayGrow, true))
      continue;
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    layout::Point grown = layout::getPaddedShape(shape, mayGrow, bytes, warps);
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (grown[dim] != shape[dim])
        padded[extents.getClass(tile, dim)] = grown[dim];
  }
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

namespace {
/// Pads the tiles of a kernel.
class Padding {
public:
  explicit Padding(const ExtentChoice &choice) : choice(choice) {}

  void run(KernelOp kernel) {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      ops.push_back(op);
      if (auto rearranged = dyn_cast<RearrangeOp>(op))
        remember(rearranged);
    });
    for (Value tile : choice.getTiles())
      pad(tile);
    for (Operation *op : ops)
      adapt(op);
  }

  /// Returns the shape that `tile` had, if it is padded.
  ArrayRef<int64_t> getOldShape(Value tile) const {
    auto known = before.find(tile);
    return known == before.end() ? ArrayRef<int64_t>() : known->second;
  }

private:
  /// Keeps the dimensions of `op` as they are before its tiles are padded.
  void remember(RearrangeOp op) {
    if (std::optional<RearrangedAxes> axes = getRearrangedAxes(op))
      rearranged[op] = {*axes, isExtended(op, *axes)};
  }

  void pad(Value tile) {
    RankedTensorType old = getTileType(tile);
    SmallVector<int64_t> shape;
    for (auto [dim, extent] : llvm::enumerate(old.getShape()))
      shape.push_back(choice.getExtent(tile, dim, extent));
    if (ArrayRef<int64_t>(shape) == old.getShape())
      return;
    before[tile] = llvm::to_vector(old.getShape());
    auto type = RankedTensorType::get(shape, old.getElementType());
    tile.setType(type);
    if (auto constant = tile.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  }

  /// Returns the extent that dimension `dim` of `tile` had, if it is padded.
  std::optional<int64_t> getUnpadded(Value tile, unsigned dim) const {
    ArrayRef<int64_t> shape = getOldShape(tile);
    if (shape.empty() || shape[dim] == getTileType(tile).getDimSize(dim))
      return std::nullopt;
    return shape[dim];
  }

  /// Makes `op` skip padded elements that would affect its result.
  void adapt(Operation *op) {
    OpBuilder builder(op);
    TypeSwitch<Operation *>(op)
        .Case(
            [&](LoadOp load) { adaptAccess(builder, load, load.getResult()); })
        .Case<StoreOp, AtomicOp>(
            [&](auto write) { adaptAccess(builder, write, write.getValue()); })
        .Case<ValidOp, IndicesOp>([&](auto query) {
          if (getUnpadded(query.getResult(), 0))
            query.getRangeMutable().assign(
                padRange(builder, query.getRange(), query.getType(), 0));
        })
        .Case([&](ReduceOp reduce) {
          reduce.getSourceMutable().assign(neutralise(
              builder, reduce.getSource(), reduce.getAxis(), reduce.getKind()));
        })
        .Case([&](ScanOp scan) {
          // Elements before the padding do not depend on it.
          if (scan.getReverse())
            scan.getSourceMutable().assign(neutralise(
                builder, scan.getSource(), scan.getAxis(), scan.getKind()));
        })
        .Case([&](ReduceWithOp reduce) {
          adaptCombined(builder, reduce, /*isReverse=*/false);
        })
        .Case([&](ScanWithOp scan) {
          if (scan.getReverse())
            adaptCombined(builder, scan, /*isReverse=*/true);
        })
        .Case([&](RearrangeOp op) { adaptRearranged(builder, op); })
        .Case([&](GemmOp gemm) {
          // An unspecified term may be NaN, which times zero is NaN.
          gemm.getAMutable().assign(neutralise(
              builder, gemm.getA(), gemm.getTermDimOfA(), ReduceKind::Sum));
          gemm.getBMutable().assign(neutralise(
              builder, gemm.getB(), gemm.getTermDimOfB(), ReduceKind::Sum));
        });
  }

  /// Makes `op` combine the elements of its sources with a mask of the elements
  /// before the padding. No element is neutral for each combiner, so a part of
  /// the axis that consists of padding leaves the other part unchanged. The
  /// padding is in right parts, or in left ones if `isReverse`.
  template <typename OpTy>
  void adaptCombined(OpBuilder &builder, OpTy op, bool isReverse) {
    Value first = op.getSources().front();
    unsigned axis = op.getAxis(), count = op.getNumResults();
    std::optional<int64_t> extent = getUnpadded(first, axis);
    if (!extent)
      return;
    Location loc = op.getLoc();
    SmallVector<Value> sources(op.getSources());
    sources.push_back(
        makeMask(builder, loc, getTileType(first), axis, *extent));
    SmallVector<Type> types(op.getResultTypes());
    types.push_back(
        cast<RankedTensorType>(types.front()).clone(builder.getI1Type()));
    OperationState state(loc, op->getName(), sources, types, op->getAttrs());
    state.addRegion()->takeBody(op.getCombiner());
    auto made = cast<OpTy>(builder.create(state));

    Block &body = made.getCombiner().front();
    Value isLeft = body.insertArgument(count, builder.getI1Type(), loc);
    Value isRight = body.addArgument(builder.getI1Type(), loc);
    Operation *yield = body.getTerminator();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(yield);
    unsigned kept = isReverse ? count + 1 : 0;
    for (unsigned number = 0; number < count; ++number)
      yield->setOperand(number, arith::SelectOp::create(
                                    builder, loc, isReverse ? isLeft : isRight,
                                    yield->getOperand(number),
                                    body.getArgument(kept + number)));
    yield->insertOperands(count, isReverse ? isRight : isLeft);
    for (auto [result, replacement] :
         llvm::zip(op.getResults(), made.getResults())) {
      if (auto known = before.find(result); known != before.end()) {
        SmallVector<int64_t> shape = known->second;
        before[replacement] = shape;
      }
      result.replaceAllUsesWith(replacement);
    }
    op.erase();
  }

  /// Gives `op` the strides of padded sources. A source that has the extent of
  /// the result gets its additional elements by selection.
  void adaptRearranged(OpBuilder &builder, RearrangeOp op) {
    auto known = rearranged.find(op);
    if (known == rearranged.end())
      return;
    auto &[axes, isExtended] = known->second;
    Value first = op.getSources().front();
    if (std::optional<int64_t> extent = getUnpadded(first, axes.joined);
        extent && isExtended) {
      auto added = op.getSources()[1].getDefiningOp<arith::ConstantOp>();
      auto number = cast<SplatElementsAttr>(added.getValue());
      op.getSourcesMutable().assign(
          replacePadding(builder, first, axes.joined, *extent,
                         number.getSplatValue<TypedAttr>()));
    }
    IndexMap map = axes.getMap(getShapes(op.getSources()));
    // Padding of a reversed dimension has numbers below those of its row. In
    // the first row, they are numbers of an additional source.
    int64_t least = map.offset;
    for (auto [extent, stride] :
         llvm::zip_equal(getTileType(op.getResult()).getShape(), map.strides))
      least += std::min<int64_t>(stride, 0) * (extent - 1);
    if (least < 0) {
      auto type =
          RankedTensorType::get(-least, getTileType(first).getElementType());
      Value zeros = arith::ConstantOp::create(builder, op.getLoc(),
                                              builder.getZeroAttr(type));
      op.getSourcesMutable().assign({zeros, op.getSources().front()});
      map.offset -= least;
    }
    op.setOffset(map.offset);
    op.setStrides(map.strides);
  }

  /// The padding of a load must be zero, so the load ends with its range.
  static void closeEnd(Operation *access, size_t position) {
    auto load = dyn_cast<LoadOp>(access);
    if (!load || !load.getOpenEnds())
      return;
    SmallVector<bool> open(*load.getOpenEnds());
    open[position] = false;
    if (llvm::is_contained(open, true))
      load.setOpenEnds(open);
    else
      load.removeOpenEndsAttr();
  }

  template <typename OpTy>
  void adaptAccess(OpBuilder &builder, OpTy access, Value moved) {
    SmallVector<bool> flags;
    SmallVector<IndexAxes> allAxes = access.getIndexAxes();
    for (auto [position, axes] : llvm::enumerate(allAxes)) {
      flags.push_back(access.isInBounds(position));
      for (int64_t dim = 0; dim < axes.rank; ++dim) {
        int64_t kept = axes.first + dim;
        if (!getUnpadded(moved, kept))
          continue;
        flags.back() = false;
        closeEnd(access, position);
        OpOperand &operand = access.getIndicesMutable()[position];
        if (isa<RangeType>(operand.get().getType()))
          operand.set(padRange(builder, operand.get(),
                               cast<RankedTensorType>(moved.getType()), kept));
        else // no tensor has this position
          operand.set(replacePadding(builder, operand.get(), dim,
                                     *getUnpadded(moved, kept),
                                     builder.getI32IntegerAttr(-1)));
      }
    }
    if (llvm::is_contained(flags, true))
      access.setInBounds(flags);
    else
      access.removeInBoundsAttr();
  }

  static Value makeRange(OpBuilder &builder, Location loc, Value start,
                         Value limit, int64_t extent) {
    auto type = RangeType::get(builder.getContext(), extent, StringAttr());
    return RangeOp::create(builder, loc, type, start, limit, /*full=*/false);
  }

  /// Returns `range` with the extent of dimension `dim` of `type`. Its limit is
  /// at most its old end.
  Value padRange(OpBuilder &builder, Value range, RankedTensorType type,
                 unsigned dim) {
    Location loc = range.getLoc();
    Value start =
        builder.createOrFold<StartOp>(loc, builder.getIndexType(), range);
    Value end;
    if (isFullRange(range)) {
      Value extent = arith::ConstantIndexOp::create(
          builder, loc, cast<RangeType>(range.getType()).getExtent());
      end = builder.createOrFold<arith::AddIOp>(loc, start, extent);
    } else {
      end = builder.createOrFold<EndOp>(loc, builder.getIndexType(), range);
    }
    return makeRange(builder, loc, start, end, type.getDimSize(dim));
  }

  /// Returns a mask of the elements of `type` before position `extent` along
  /// `dim`.
  static Value makeMask(OpBuilder &builder, Location loc, RankedTensorType type,
                        unsigned dim, int64_t extent) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value end = arith::ConstantIndexOp::create(builder, loc, extent);
    Value mask = ValidOp::create(
        builder, loc, makeRange(builder, loc, zero, end, type.getDimSize(dim)));
    for (unsigned other = 0; other < type.getRank(); ++other)
      if (other != dim)
        mask = ExpandDimsOp::create(builder, loc, mask, other);
    auto masks = RankedTensorType::get(type.getShape(), builder.getI1Type());
    return mask.getType() == masks
               ? mask
               : BroadcastOp::create(builder, loc, masks, mask).getResult();
  }

  /// Returns `tile` with `number` along `dim` from `extent` on.
  Value replacePadding(OpBuilder &builder, Value tile, unsigned dim,
                       int64_t extent, TypedAttr number) {
    Location loc = tile.getLoc();
    RankedTensorType type = getTileType(tile);
    Value mask = makeMask(builder, loc, type, dim, extent);
    Value numbers = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, number));
    return arith::SelectOp::create(builder, loc, mask, tile, numbers);
  }

  /// Returns `tile` with padding along `dim` that does not affect a reduction.
  Value neutralise(OpBuilder &builder, Value tile, unsigned dim,
                   ReduceKind kind) {
    std::optional<int64_t> extent = getUnpadded(tile, dim);
    if (!extent)
      return tile;
    TypedAttr neutral = getNeutral(kind, getTileType(tile).getElementType());
    return values.get(tile, dim) == neutral
               ? tile
               : replacePadding(builder, tile, dim, *extent, neutral);
  }

  /// The dimensions of a rearrangement before padding, and whether it extends
  /// its first source.
  struct Rearranged {
    RearrangedAxes axes;
    bool isExtended = false;
  };

  const ExtentChoice &choice;
  llvm::DenseMap<Value, SmallVector<int64_t>> before;
  llvm::DenseMap<Operation *, Rearranged> rearranged;
  PaddingValues values;
};

/// Copies of tiles without tile operands, one for each use. Equal constants of
/// unrelated tiles are one op after CSE, which must not join the classes of
/// these tiles: one of them may have a fixed extent.
class SeparateLeaves {
public:
  explicit SeparateLeaves(KernelOp kernel) {
    SmallVector<Operation *> leaves;
    kernel.walk([&](Operation *op) {
      if (isLeaf(op) && !op->use_empty() && !op->hasOneUse())
        leaves.push_back(op);
    });
    for (Operation *op : leaves)
      for (OpOperand &use :
           llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
        OpBuilder builder(op);
        builder.setInsertionPointAfter(op);
        Operation *copy = builder.clone(*op);
        use.set(copy->getResult(0));
        copies.emplace_back(op, copy);
      }
  }

  /// Undoes the change.
  void join() {
    for (auto [op, copy] : copies) {
      copy->replaceAllUsesWith(op);
      copy->erase();
    }
  }

private:
  static bool isLeaf(Operation *op) {
    if (op->getNumResults() != 1)
      return false;
    RankedTensorType type = getTileType(op->getResult(0));
    if (!type || llvm::all_of(type.getShape(), llvm::isPowerOf2_64))
      return false;
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return isa<SplatElementsAttr>(constant.getValue());
    return isa<tensor::SplatOp, IotaOp, IndicesOp, ValidOp>(op);
  }

  SmallVector<std::pair<Operation *, Operation *>> copies;
};

struct PadExtents : tile::impl::PadExtentsPassBase<PadExtents> {
  using PadExtentsPassBase::PadExtentsPassBase;

  void runOnOperation() override {
    SeparateLeaves leaves(getOperation());
    ExtentChoice choice(getOperation());
    if (!choice.isAnyPadded()) {
      leaves.join();
      return;
    }
    Padding padding(choice);
    padding.run(getOperation());
    getOperation().walk([&](LoadOp load) {
      ArrayRef<int64_t> old = padding.getOldShape(load.getResult());
      if (old.empty())
        return;
      ++numPadded;
      RankedTensorType type = getTileType(load.getResult());
      if (remarks)
        load.emitRemark() << "this tile of `"
                          << printType(RankedTensorType::get(
                                 old, type.getElementType()))
                          << "` is padded to `" << printType(type)
                          << "`, which spreads over threads"
                          << " [tile-padded]";
    });
  }
};
} // namespace
