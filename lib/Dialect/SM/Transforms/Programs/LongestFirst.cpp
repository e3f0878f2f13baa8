//===- LongestFirst.cpp - Long programs first -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-longest-first runs the longest programs first (LPT rule of list
// scheduling). If the length changes along the first axis, the programs of a
// few neighbours along the second axis begin together. They fill the GPU, and
// their shared data still fits into the cache. A wrong guess costs time, not
// results.
//
//===----------------------------------------------------------------------===//

#include "ProgramLengths.h"
#include "Roles/TmaFetch.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Transforms/RegionUtils.h"

namespace tessera::sm {
#define GEN_PASS_DEF_LONGESTFIRSTPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Programs that fill a GPU, of about as many multiprocessors.
static constexpr int64_t kFillingPrograms = 128;
/// Base 2 logarithms of the number of places along the second axis that begin
/// together. At least four do, even if one fills the GPU, since that shortens
/// the tail of a launch to a fourth.
static constexpr int64_t kFewestShift = 2, kMostShift = 4;

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

namespace {
/// The coordinate of a program along an axis, and the extent of the axis.
struct Coordinate {
  Value value;
  unsigned axis;
  tile::SizeAttr count;
  /// How the length of programs changes along the axis.
  Trend trend = Trend::Unknown;
};
} // namespace

/// Adds the coordinates from axis `axis` on. `number` is the quotient of the
/// program number by the extents of the axes before. Each coordinate is a
/// remainder of it, and the last one is the remaining quotient.
static void addCoordinates(Value number, unsigned axis,
                           ArrayRef<tile::SizeAttr> counts,
                           SmallVectorImpl<Coordinate> &found) {
  if (axis + 1 == counts.size()) {
    found.push_back({number, axis, counts[axis]});
    return;
  }
  for (Operation *user : number.getUsers()) {
    bool divides = isa<arith::DivUIOp>(user);
    if ((!divides && !isa<arith::RemUIOp>(user)) ||
        user->getOperand(0) != number ||
        !isSize(user->getOperand(1), counts[axis]))
      continue;
    if (divides)
      addCoordinates(user->getResult(0), axis + 1, counts, found);
    else
      found.push_back({user->getResult(0), axis, counts[axis]});
  }
}

namespace {
/// Builds scalars where two are known, and uses them in their place.
class ScalarBuilder {
public:
  ScalarBuilder(Value a, Value b) : builder(a.getContext()), loc(a.getLoc()) {
    Operation *last = a.getDefiningOp();
    if (last->isBeforeInBlock(b.getDefiningOp()))
      last = b.getDefiningOp();
    builder.setInsertionPointAfter(last);
  }

  template <typename OpTy>
  Value make(Value lhs, Value rhs) {
    auto op = OpTy::create(builder, loc, lhs, rhs);
    made.insert(op);
    return op;
  }
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value getSize(tile::SizeAttr size) {
    return tile::SizeOp::create(builder, loc, builder.getIndexType(), size);
  }
  Value select(arith::CmpIPredicate predicate, Value lhs, Value rhs, Value yes,
               Value no) {
    Value condition = arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
    return arith::SelectOp::create(builder, loc, condition, yes, no);
  }

  /// Returns the base 2 logarithm of the number of places in a band, each with
  /// `length` programs. A band has the fewest places that fill the GPU and
  /// divide `places`: an incomplete band would end the launch.
  Value getBandShift(Value length, Value places) {
    Value wanted = getConstant(kFewestShift), even = getConstant(0);
    for (int64_t shift = kFewestShift + 1; shift <= kMostShift; ++shift)
      wanted = select(arith::CmpIPredicate::slt, length,
                      getConstant(kFillingPrograms >> (shift - 1)),
                      getConstant(shift), wanted);
    for (int64_t shift = 1; shift <= kMostShift; ++shift) {
      Value mask = getConstant((1 << shift) - 1);
      even = select(arith::CmpIPredicate::eq, make<arith::AndIOp>(places, mask),
                    getConstant(0), getConstant(shift), even);
    }
    return make<arith::MinSIOp>(wanted, even);
  }

  /// Lets `value` be used here alone, and `other` elsewhere.
  void replace(Value value, Value other) {
    value.replaceUsesWithIf(
        other, [&](OpOperand &use) { return !made.contains(use.getOwner()); });
  }

private:
  OpBuilder builder;
  Location loc;
  llvm::DenseSet<Operation *> made;
};

struct LongestFirst : sm::impl::LongestFirstPassBase<LongestFirst> {
  using LongestFirstPassBase::LongestFirstPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Planned || kernel.getPersistent())
      return;
    SmallVector<tile::SizeAttr> counts(kernel.getProgramCounts());
    if (counts.empty())
      return;
    kernel.walk([&](ProgramIdOp id) {
      SmallVector<Coordinate> coordinates;
      addCoordinates(id.getResult(), /*axis=*/0, counts, coordinates);
      for (Coordinate &coordinate : coordinates)
        coordinate.trend = getLength(kernel, coordinate.value);
      Coordinate *first = findOnly(coordinates, 0);
      Coordinate *second = findOnly(coordinates, 1);
      bool isUneven = first && (first->trend == Trend::Rising ||
                                first->trend == Trend::Falling);
      if (isUneven && second && kernel.getClusterSize() == 1)
        interleave(*first, *second);
      for (const Coordinate &coordinate : coordinates)
        if (coordinate.trend == Trend::Rising)
          reverse(coordinate);
    });
  }

  /// Returns the coordinate along `axis`, if there is one: of several, not all
  /// would change.
  static Coordinate *findOnly(MutableArrayRef<Coordinate> coordinates,
                              unsigned axis) {
    Coordinate *found = nullptr;
    for (Coordinate &coordinate : coordinates) {
      if (coordinate.axis != axis)
        continue;
      if (found)
        return nullptr;
      found = &coordinate;
    }
    return found;
  }

  /// Moves what computes both coordinates before all that uses one of them:
  /// what takes the place of one is computed from both.
  static LogicalResult moveBeforeUses(Value a, Value b) {
    Block *block = a.getParentBlock();
    Operation *first = nullptr;
    for (Value value : {a, b})
      for (Operation *user : value.getUsers())
        if (Operation *inBlock = block->findAncestorOpInBlock(*user);
            inBlock && (!first || inBlock->isBeforeInBlock(first)))
          first = inBlock;
    IRRewriter rewriter(a.getContext());
    return first ? moveValueDefinitions(rewriter, {a, b}, first) : success();
  }

  /// Lets programs walk over several places along the second axis for each one
  /// along the first.
  void interleave(Coordinate &first, Coordinate &second) {
    Value i = first.value, h = second.value;
    if (failed(moveBeforeUses(i, h)))
      return;
    ScalarBuilder scalars(i, h);
    Value length = scalars.getSize(first.count);
    Value shift = scalars.getBandShift(length, scalars.getSize(second.count));
    Value width = scalars.make<arith::ShLIOp>(scalars.getConstant(1), shift);
    Value mask = scalars.make<arith::SubIOp>(width, scalars.getConstant(1));
    // The number in its band, and from that the other way round.
    Value among = scalars.make<arith::AndIOp>(h, mask);
    Value number = scalars.make<arith::AddIOp>(
        scalars.make<arith::MulIOp>(among, length), i);
    Value start = scalars.make<arith::SubIOp>(h, among);
    Value place = scalars.make<arith::AddIOp>(
        start, scalars.make<arith::AndIOp>(number, mask));
    Value block = scalars.make<arith::ShRUIOp>(number, shift);
    scalars.replace(i, block);
    scalars.replace(h, place);
    first.value = block;
    second.value = place;
    if (remarks)
      i.getDefiningOp()->emitRemark()
          << "programs along the first axis take unequally long; "
             "the long ones of several places along the second one "
             "begin together"
          << " [programs-interleaved]";
    ++numInterleaved;
  }

  /// Counts `coordinate` from its end.
  void reverse(Coordinate coordinate) {
    Operation *op = coordinate.value.getDefiningOp();
    Location loc = op->getLoc();
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Value count = tile::SizeOp::create(builder, loc, builder.getIndexType(),
                                       coordinate.count);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value last = arith::SubIOp::create(builder, loc, count, one);
    auto reversed = arith::SubIOp::create(builder, loc, last, coordinate.value);
    coordinate.value.replaceAllUsesExcept(reversed, reversed);
    if (remarks)
      op->emitRemark() << "programs far along this axis take longer, and begin "
                          "first"
                       << " [programs-ordered]";
    ++numReversed;
  }
};
} // namespace
