//===- DeferReductions.cpp - Reduce once, after the loop --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-defer-reductions:
//
//   for … iter_args(a = a0)              for … iter_args(p = p0)
//     r = reduce sum x axis 1              r = reduce sum x axis 1 keep 8
//     y = a * c + r                 ->     y = p * broadcast(c) + r
//     yield y                              yield y
//                                        a = reduce sum p axis 1
//
// Each thread adds the columns of x that it holds. Threads exchange partial
// results once, after the loop. This is right because the reduction commutes
// with the sum, and with a factor that is equal along the reduced axis. A
// factor of infinity is the exception: partial results of zero become NaN.
//
//===----------------------------------------------------------------------===//

#include "PartialResults.h"

#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#include <numeric>

namespace tessera::tile {
#define GEN_PASS_DEF_DEFERREDUCTIONSPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

namespace {
/// A carried value whose reduction can be deferred: the operations between the
/// region argument of the loop and the yielded value.
struct Accumulation {
  scf::ForOp loop;
  unsigned index = 0;
  ReduceKind kind = ReduceKind::Sum;
  int64_t axis = 0;
  int64_t keep = 0;
  bool isScaled = false;          // some operation multiplies it
  SmallVector<Operation *> chain; // from the argument to the yield
};
} // namespace

static RankedTensorType getTile(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// Returns the kind of reduction that `op` continues, if it combines two
/// values.
static std::optional<ReduceKind> getCombiner(Operation *op) {
  if (isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
          math::FmaOp>(op))
    return ReduceKind::Sum;
  if (isa<arith::MaximumFOp, arith::MaxSIOp>(op))
    return ReduceKind::Max;
  if (isa<arith::MinimumFOp, arith::MinSIOp>(op))
    return ReduceKind::Min;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Follows the carried value `index` of `loop` to the yield. Returns why it
/// cannot be deferred, with the `place`, or an empty string. `wanted` is the
/// number of partial results to keep, or 0.
static std::string match(Accumulation &accumulation, int64_t wanted,
                         Operation *&place) {
  scf::ForOp loop = accumulation.loop;
  Operation *yield = loop.getBody()->getTerminator();
  Value value = loop.getRegionIterArg(accumulation.index);
  bool hasReduction = false;
  place = loop;
  while (true) {
    if (!value.hasOneUse()) {
      for (Operation *user : value.getUsers())
        if (place == loop || !getCombiner(user))
          place = user;
      return value.use_empty() ? "its value is not used in the loop"
                               : "its value is used in every iteration";
    }
    OpOperand &use = *value.use_begin();
    Operation *op = place = use.getOwner();
    if (op == yield) {
      if (use.getOperandNumber() != accumulation.index)
        return "it changes places with another carried value";
      if (accumulation.isScaled && accumulation.kind != ReduceKind::Sum)
        return "a maximum or minimum does not commute with its factor";
      return hasReduction ? "" : "no reduction is added to it";
    }
    if (op->getParentOp() != loop)
      return "it is used in an inner region";
    unsigned operand = use.getOperandNumber();
    if (isa<arith::MulFOp>(op)) {
      accumulation.isScaled = true;
    } else if (std::optional<ReduceKind> kind = getCombiner(op)) {
      bool isSubtraction = isa<arith::SubFOp, arith::SubIOp>(op);
      if (isSubtraction && operand == 1)
        return "it is subtracted";
      unsigned added = isa<math::FmaOp>(op) ? 2 : 1 - operand;
      if (isa<math::FmaOp>(op)) {
        if (operand == 2)
          return "a product, not a reduction, is added to it";
        accumulation.isScaled = true;
      }
      auto reduce = op->getOperand(added).getDefiningOp<ReduceOp>();
      if (!reduce || reduce.getKind() != *kind)
        return "something else than a reduction is combined with it";
      if (reduce.getKeep())
        return "the reduction that is combined with it is partial";
      if (!reduce->hasOneUse())
        return "the reduction that is combined with it has other uses";
      int64_t extent = getTile(reduce.getSource()).getDimSize(reduce.getAxis());
      int64_t keep =
          std::gcd(wanted ? wanted : countPartialResults(loop, reduce), extent);
      if (hasReduction && (accumulation.kind != *kind ||
                           accumulation.axis != int64_t(reduce.getAxis())))
        return "two different reductions are combined with it";
      accumulation.kind = *kind;
      accumulation.axis = reduce.getAxis();
      accumulation.keep =
          hasReduction ? std::gcd(accumulation.keep, keep) : keep;
      hasReduction = true;
      if (accumulation.keep == 1)
        return "the reduced extent has no divisor for partial results";
    } else {
      return "it passes through an operation that does not commute with the "
             "reduction";
    }
    accumulation.chain.push_back(op);
    value = op->getResult(0);
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static RankedTensorType getPartialType(const Accumulation &accumulation) {
  scf::ForOp loop = accumulation.loop;
  RankedTensorType type = getTile(loop.getResult(accumulation.index));
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + accumulation.axis, accumulation.keep);
  return RankedTensorType::get(shape, type.getElementType());
}

/// Returns `value`, repeated along the reduced axis.
static Value repeat(OpBuilder &builder, Value value,
                    const Accumulation &accumulation) {
  Location loc = value.getLoc();
  Value expanded = ExpandDimsOp::create(builder, loc, value, accumulation.axis);
  return BroadcastOp::create(builder, loc, getPartialType(accumulation),
                             expanded);
}

/// Creates a tile of the neutral element of a sum.
static Value makeZero(OpBuilder &builder, Location loc, RankedTensorType type) {
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
}

/// Creates partial results whose reduction is `init`.
static Value makePartialInit(OpBuilder &builder, Value init,
                             const Accumulation &accumulation) {
  RankedTensorType type = getPartialType(accumulation);
  Location loc = init.getLoc();
  // The partial results of an earlier loop continue.
  if (auto reduce = init.getDefiningOp<ReduceOp>();
      reduce && !reduce.getKeep() && reduce.getKind() == accumulation.kind &&
      int64_t(reduce.getAxis()) == accumulation.axis &&
      reduce.getSource().getType() == type)
    return reduce.getSource();
  // A maximum may include a value several times.
  if (accumulation.kind != ReduceKind::Sum)
    return repeat(builder, init, accumulation);
  if (matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero()))
    return makeZero(builder, loc, type);
  // The first partial result starts at `init`, the others at zero.
  Value lane = IotaOp::create(
      builder, loc,
      RankedTensorType::get(accumulation.keep, builder.getI32Type()));
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane,
                            makeZero(builder, loc, getTile(lane)));
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (axis != accumulation.axis)
      isFirst = ExpandDimsOp::create(builder, loc, isFirst, axis);
  isFirst = BroadcastOp::create(builder, loc, type.clone(builder.getI1Type()),
                                isFirst);
  return arith::SelectOp::create(builder, loc, isFirst,
                                 repeat(builder, init, accumulation),
                                 makeZero(builder, loc, type));
}

/// Makes the operations of the chain work on partial results.
static void widen(const Accumulation &accumulation) {
  RankedTensorType type = getPartialType(accumulation);
  scf::ForOp loop = accumulation.loop;
  Value value = loop.getRegionIterArg(accumulation.index);
  for (Operation *op : accumulation.chain) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (operand.get() == value)
        continue;
      // The addend is a reduction unless the operation is a product.
      auto reduce = operand.get().getDefiningOp<ReduceOp>();
      bool isAddend =
          !isa<arith::MulFOp>(op) &&
          (!isa<math::FmaOp>(op) || operand.getOperandNumber() == 2);
      if (isAddend && reduce &&
          reduce.getSource().getType() == RankedTensorType(type))
        operand.set(reduce.getSource()); // no elements to combine
      else if (isAddend && reduce)
        operand.set(ReduceOp::create(builder, reduce.getLoc(), reduce.getKind(),
                                     reduce.getSource(), reduce.getAxis(),
                                     accumulation.keep));
      else
        operand.set(repeat(builder, operand.get(), accumulation));
    }
    value = op->getResult(0);
    value.setType(type);
  }
}

/// Rebuilds the loop with partial results in place of the carried values.
static void rewrite(scf::ForOp loop, ArrayRef<Accumulation> accumulations) {
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  for (const Accumulation &accumulation : accumulations) {
    inits[accumulation.index] =
        makePartialInit(builder, inits[accumulation.index], accumulation);
    widen(accumulation);
  }
  auto wide = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  wide->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  wide.setUnsignedCmp(loop.getUnsignedCmp());
  Block *body = wide.getBody();
  body->getOperations().splice(body->end(), loop.getBody()->getOperations());
  for (auto [from, to] :
       llvm::zip_equal(loop.getBody()->getArguments(), body->getArguments()))
    from.replaceAllUsesWith(to);
  SmallVector<Value> results(wide.getResults());
  for (const Accumulation &accumulation : accumulations)
    results[accumulation.index] =
        ReduceOp::create(builder, loop.getLoc(), accumulation.kind,
                         wide.getResult(accumulation.index), accumulation.axis);
  loop->replaceAllUsesWith(results);
  loop->erase();
}

namespace {
struct DeferReductions : tile::impl::DeferReductionsPassBase<DeferReductions> {
  using DeferReductionsPassBase::DeferReductionsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (keep < 0 || keep == 1) {
      emitError(kernel.getLoc()) << "expected the option 'keep' of "
                                    "tile-defer-reductions to be 0 or at least "
                                    "2, got "
                                 << int64_t(keep);
      return signalPassFailure();
    }
    // Inner loops come first: the loop around may defer the remaining sum
    // again.
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      visit(loop);
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, kernel->getRegions());
  }

  void visit(scf::ForOp loop) {
    SmallVector<Accumulation> accumulations;
    for (unsigned index = 0, end = loop.getNumResults(); index != end;
         ++index) {
      if (!getTile(loop.getResult(index)) || !yieldsReduction(loop, index))
        continue;
      Accumulation accumulation;
      accumulation.loop = loop;
      accumulation.index = index;
      Operation *place = nullptr;
      std::string reason = match(accumulation, keep, place);
      if (reason.empty()) {
        accumulations.push_back(accumulation);
        if (remarks)
          loop.emitRemark()
              << "the reduction of the loop-carried value " << index
              << " is deferred; the loop carries " << accumulation.keep
              << " partial results" << " [reduction-deferred]";
      } else if (remarks) {
        InFlightDiagnostic remark = loop.emitRemark();
        remark << "the loop-carried value " << index
               << " is reduced in every iteration: " << reason
               << " [reduction-in-loop]";
        remark.attachNote(place->getLoc()) << "see here";
      }
    }
    if (accumulations.empty())
      return;
    numDeferred += accumulations.size();
    rewrite(loop, accumulations);
  }

  /// Checks whether a reduction is combined into the yielded value, so that it
  /// can be deferred or explained.
  static bool yieldsReduction(scf::ForOp loop, unsigned index) {
    Operation *op = loop.getYieldedValues()[index].getDefiningOp();
    return op && op->getParentOp() == loop && getCombiner(op) &&
           llvm::any_of(op->getOperands(), [](Value operand) {
             return static_cast<bool>(operand.getDefiningOp<ReduceOp>());
           });
  }
};
} // namespace
