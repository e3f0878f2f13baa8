//===- PaddedLoads.cpp - Elements past the end in reductions ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load yields zeros for elements that are not valid. Zero is not neutral for
// `max` and `min`, and an element computed from zeros, such as `exp(x[n])`, is
// not neutral for `sum` and `@`. Other reductions and scans have a region, and
// NeutralElements.h checks it. An order, such as `sort`, has plain operations
// at the location of its call. The first of them reads the operand of the call.
//
// The analysis is a forward dataflow in one pass. Its facts describe, for each
// axis of a tile, the elements whose position along the axis is past the end. A
// fact has the load that they come from, and their value if constants determine
// it. A `where` on positions, such as `n.valid`, is a mask, and its result has
// no such elements. In a loop, a `var` has the fact of its initial value, so a
// value that an earlier iteration pads is found after the loop only.
//
//===----------------------------------------------------------------------===//

#include "PaddedLoads.h"
#include "Extents.h"
#include "NeutralElements.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"

using namespace tessera;
using namespace tessera::frontend;

/// Checks whether a loop of known bounds walks over a dimension of known extent
/// by full ranges.
static bool isStepOfWholeLoop(Value index, std::optional<int64_t> bound) {
  auto range = index.getDefiningOp<tile::RangeOp>();
  auto start = range ? dyn_cast<BlockArgument>(range.getStart()) : nullptr;
  auto loop =
      start ? dyn_cast_if_present<scf::ForOp>(start.getOwner()->getParentOp())
            : nullptr;
  if (!loop || start != loop.getInductionVar() || !bound)
    return false;
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep()),
                         limit = getConstantIntValue(range.getLimit());
  return lower && upper && step && limit && *lower >= 0 && *step > 0 &&
         (*upper - *lower) % *step == 0 &&
         range.getType().getExtent() <= *step && *upper <= *limit &&
         *upper <= *bound;
}

/// Checks whether elements of a load along `axis` may be zeros past the end.
static bool isPadded(tile::LoadOp load, int64_t axis) {
  if (load.getFillAttr())
    return false;
  tile::GlobalType global = load.getGlobalType();
  for (auto [dim, axes] : llvm::enumerate(load.getIndexAxes())) {
    Value index = load.getIndices()[dim];
    if (axes.contains(axis) && !tile::isInBounds(index, global, dim) &&
        !isStepOfWholeLoop(index, global.getShape()[dim].getConstantValue()) &&
        !isInside(index, global.getShape()[dim]))
      return true;
  }
  return false;
}

/// Checks whether positions of a range may be past its end.
static bool isPartial(Value range) {
  auto op = range.getDefiningOp<tile::RangeOp>();
  return !tile::isFullRange(range) &&
         !(op && isStepOfWholeLoop(range, getConstantIntValue(op.getLimit())));
}

/// Returns whether a tile has one value that is negative; nothing if its value
/// is not known.
static std::optional<bool> hasNegativeValue(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().isNegative();
  return elements.getSplatValue<APInt>().isNegative();
}

static bool isNonNegativeConstant(Value value) {
  return hasNegativeValue(value) == false;
}

/// Checks whether the results of `op` are at least zero, so that zeros do not
/// change their maximum.
static bool isNonNegative(Operation *op) {
  if (isa<math::AbsFOp, math::AbsIOp, math::SqrtOp, math::CtPopOp,
          math::CountLeadingZerosOp, arith::ExtUIOp, arith::UIToFPOp>(op))
    return true;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return op->getOperand(0) == op->getOperand(1);
  return isa<arith::MaximumFOp, arith::MaxSIOp, arith::AndIOp>(op) &&
         llvm::any_of(op->getOperands(), isNonNegativeConstant);
}

/// Checks whether the results of `op` may fall where the operand `number`
/// rises. Factors of unknown values are assumed to be positive.
static bool isDecreasing(Operation *op, unsigned number) {
  if (isa<arith::NegFOp>(op))
    return true;
  if (isa<arith::SubFOp, arith::SubIOp>(op))
    return number == 1;
  if (!isa<arith::MulFOp, arith::MulIOp, arith::DivFOp>(op))
    return false;
  bool isDivisor = isa<arith::DivFOp>(op) && number == 1;
  bool hasNegativeFactor = hasNegativeValue(op->getOperand(1 - number)) == true;
  return isDivisor != hasNegativeFactor;
}

static bool isZero(Attribute value) {
  if (auto number = dyn_cast_if_present<FloatAttr>(value))
    return number.getValue().isZero();
  auto number = dyn_cast_if_present<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

/// Checks whether no element of its type is less than `value`, or greater.
static bool isExtreme(Attribute value, bool isGreatest) {
  if (auto number = dyn_cast_if_present<FloatAttr>(value))
    return number.getValue().isInfinity() &&
           number.getValue().isNegative() != isGreatest;
  auto number = dyn_cast_if_present<IntegerAttr>(value);
  return number && (isGreatest ? number.getValue().isMaxSignedValue()
                               : number.getValue().isMinSignedValue());
}

/// Checks whether a product by `value` may be other than zero if the other
/// factor is zero.
static bool isNotFinite(Attribute value) {
  auto number = dyn_cast_if_present<FloatAttr>(value);
  return number && !number.getValue().isFinite();
}

static bool isProduct(Operation *op) {
  return isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(op);
}

/// Checks whether a result has some positions of each axis of one source, in
/// their order: `split` and parts. Elements past the end are those of the
/// source.
static bool keepsAxes(tile::RearrangeOp op) {
  auto type = cast<RankedTensorType>(op.getSources().front().getType());
  if (op.getSources().size() != 1 || op.getToggle() != 0 ||
      static_cast<int64_t>(op.getStrides().size()) != type.getRank())
    return false;
  int64_t stride = type.getNumElements();
  auto results = cast<RankedTensorType>(op.getResult().getType()).getShape();
  for (auto [axis, extent] : llvm::enumerate(type.getShape())) {
    int64_t outer = stride;
    stride /= extent;
    int64_t step = op.getStrides()[axis];
    // An axis of extent 1 has any stride.
    if (results[axis] != 1 && (step <= 0 || step % stride != 0 ||
                               step * (results[axis] - 1) >= outer))
      return false;
  }
  return true;
}

namespace {
/// The elements of a tile whose position along one axis is past the end.
struct Padding {
  /// The partial load that they come from; null if there are none.
  Operation *load = nullptr;
  /// Their value. Without such elements, the value of the whole tile. Null if
  /// unknown.
  Attribute value;
  /// No other element is less.
  bool isLeast = false;
  /// They are computed from positions, as masks are.
  bool isMask = false;
  /// The elements depend on where the end is, although no load yields them:
  /// positions, or numbers that a `where` chose by elements of a partial load.
  /// An extremum of them is assumed to be meant.
  Operation *chosenBy = nullptr;

  Operation *getOrigin() const { return load ? load : chosenBy; }
  /// A mask has chosen the elements. It is assumed to choose neutral ones.
  bool isMasked() const { return isMask && !getOrigin(); }
};

class PaddingAnalysis {
public:
  explicit PaddingAnalysis(
      const llvm::DenseMap<Location, OrderCall> &orderCalls)
      : orderCalls(orderCalls) {}

  void run(Block &block) {
    for (Operation &op : block)
      visit(&op);
  }

  SmallVector<PaddedReduction> found;

private:
  void visit(Operation *op);
  void visitLoop(scf::ForOp loop);
  void check(tile::ReduceOp op);
  void check(tile::ScanOp op);
  void check(tile::GemmOp op);
  /// Checks a reduction or a scan with a region.
  void checkCombiner(Operation *op, int64_t axis);
  /// Checks the operand of an order that `op`, one of its operations, reads.
  void checkOrder(Operation *op, const OrderCall &call);

  Padding compute(Operation *op, int64_t axis);
  Padding computeLoad(tile::LoadOp load, int64_t axis);
  Padding computeProduct(tile::GemmOp gemm, int64_t axis);
  Padding computeElementwise(Operation *op, int64_t axis);
  Padding computeSelect(arith::SelectOp select, int64_t axis);
  /// Returns the value of an elementwise operation on known values.
  Attribute computeValue(Operation *op, ArrayRef<Padding> operands,
                         int64_t axis);

  Padding get(Value tile, int64_t axis) const {
    auto it = paddings.find(tile);
    return it == paddings.end() ? Padding() : it->second[axis];
  }
  void set(Value value, llvm::function_ref<Padding(int64_t)> compute) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return;
    SmallVector<Padding, 2> axes;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      axes.push_back(compute(axis));
    paddings[value] = std::move(axes);
  }

  const llvm::DenseMap<Location, OrderCall> &orderCalls;
  llvm::DenseMap<Value, SmallVector<Padding, 2>> paddings;
};
} // namespace

/// Returns the padding of a value that is one of two. Zeros of both signs are
/// one value.
static Padding join(const Padding &one, const Padding &other) {
  bool isSame =
      one.value == other.value || (isZero(one.value) && isZero(other.value));
  return {one.load ? one.load : other.load, isSame ? one.value : Attribute(),
          (one.isLeast || !one.load) && (other.isLeast || !other.load),
          one.isMask || other.isMask,
          one.chosenBy ? one.chosenBy : other.chosenBy};
}

/// Returns the padding of combinations of elements: sums and extrema, along
/// another axis, of zeros are zero.
static Padding getCombination(Padding elements) {
  if (!isZero(elements.value))
    elements.value = {};
  return elements;
}

void PaddingAnalysis::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitLoop(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      for (Block &block : region)
        run(block);
    for (OpResult result : branch.getResults()) {
      unsigned number = result.getResultNumber();
      set(result, [&](int64_t axis) {
        return join(get(branch.thenYield().getOperand(number), axis),
                    get(branch.elseYield().getOperand(number), axis));
      });
    }
    return;
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    check(reduce);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    check(scan);
  if (auto reduce = dyn_cast<tile::ReduceWithOp>(op))
    checkCombiner(op, reduce.getAxis());
  if (auto scan = dyn_cast<tile::ScanWithOp>(op))
    checkCombiner(op, scan.getAxis());
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    check(gemm);
  if (auto it = orderCalls.find(op->getLoc()); it != orderCalls.end())
    checkOrder(op, it->second);
  for (Value result : op->getResults())
    set(result, [&](int64_t axis) { return compute(op, axis); });
}

void PaddingAnalysis::visitLoop(scf::ForOp loop) {
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    Value init = loop.getInitArgs()[index];
    set(argument, [&](int64_t axis) {
      Padding padding = get(init, axis);
      // Sums begin with zero, and zeros added to it do not change it.
      if (!isZero(padding.value))
        padding.value = {};
      return padding;
    });
  }
  run(*loop.getBody());
  for (OpResult result : loop.getResults()) {
    unsigned number = result.getResultNumber();
    set(result, [&](int64_t axis) {
      return join(get(loop.getInitArgs()[number], axis),
                  get(loop.getYieldedValues()[number], axis));
    });
  }
}

void PaddingAnalysis::check(tile::ReduceOp op) {
  Padding padding = get(op.getSource(), op.getAxis());
  Operation *origin = op.getKind() == tile::ReduceKind::Sum
                          ? padding.getOrigin()
                          : padding.load;
  if (!origin)
    return;
  switch (op.getKind()) {
  case tile::ReduceKind::Sum:
    if (!isZero(padding.value))
      found.push_back({op, origin, padding.value});
    return;
  case tile::ReduceKind::Max:
    if (!padding.isLeast && !isExtreme(padding.value, /*isGreatest=*/false))
      found.push_back({op, origin, padding.value});
    return;
  case tile::ReduceKind::Min:
    if (!isExtreme(padding.value, /*isGreatest=*/true))
      found.push_back({op, origin, padding.value});
    return;
  }
}

void PaddingAnalysis::check(tile::ScanOp op) {
  // Elements past the end come last, and change their own results only.
  if (!op.getReverse() || op.getKind() != tile::ReduceKind::Sum)
    return;
  Padding padding = get(op.getSource(), op.getAxis());
  if (padding.getOrigin() && !isZero(padding.value))
    found.push_back({op, padding.getOrigin(), padding.value});
}

void PaddingAnalysis::checkCombiner(Operation *op, int64_t axis) {
  SmallVector<TrailingElement> trailing;
  SmallVector<bool> isPadded;
  Padding first;
  for (Value source : op->getOperands()) {
    Padding padding = get(source, axis);
    // A mask that chooses one of several operands says that the end is known.
    if (padding.isMasked())
      return;
    trailing.push_back({padding.value, padding.load && padding.isLeast});
    isPadded.push_back(padding.getOrigin() != nullptr);
    if (!first.getOrigin())
      first = padding;
  }
  if (first.getOrigin() && mayChange(op, trailing))
    found.push_back(
        {op, first.getOrigin(), first.value, findNeutralValue(op, isPadded)});
}

/// Checks whether `value` comes last in the order of a call.
static bool isLast(Attribute value, const OrderCall &call) {
  if (auto key = dyn_cast_if_present<IntegerAttr>(value);
      key && call.isUnsigned)
    return call.isDescending ? key.getValue().isZero()
                             : key.getValue().isAllOnes();
  // NaN is the greatest element.
  auto key = dyn_cast_if_present<FloatAttr>(value);
  return (key && key.getValue().isNaN() && !call.isDescending) ||
         isExtreme(value, /*isGreatest=*/!call.isDescending);
}

void PaddingAnalysis::checkOrder(Operation *op, const OrderCall &call) {
  for (Value operand : op->getOperands()) {
    // The operand of the call has the location of another expression.
    Operation *source = operand.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getRank() <= call.axis ||
        (source && source->getLoc() == op->getLoc()))
      continue;
    Padding padding = get(operand, call.axis);
    if (!padding.load)
      continue;
    bool isSorted = call.name != "flip";
    if (!isSorted || (!(call.isDescending && padding.isLeast) &&
                      !isLast(padding.value, call)))
      found.push_back({op, padding.load, padding.value});
  }
}

void PaddingAnalysis::check(tile::GemmOp op) {
  Padding a = get(op.getA(), op.getTermDimOfA()),
          b = get(op.getB(), op.getTermDimOfB());
  bool isNeutral = a.isMasked() || b.isMasked() ||
                   (isZero(a.value) && !isNotFinite(b.value)) ||
                   (isZero(b.value) && !isNotFinite(a.value));
  if (isNeutral || (!a.getOrigin() && !b.getOrigin()))
    return;
  bool isFirst = a.getOrigin() && (!isZero(a.value) || !b.getOrigin());
  found.push_back({op, (isFirst ? a : b).getOrigin(), Attribute()});
}

Padding PaddingAnalysis::compute(Operation *op, int64_t axis) {
  DenseElementsAttr elements;
  if (matchPattern(op, m_Constant(&elements)))
    return {{},
            elements.isSplat() ? elements.getSplatValue<Attribute>()
                               : Attribute()};
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return computeLoad(load, axis);
  if (auto indices = dyn_cast<tile::IndicesOp>(op))
    return {{},
            {},
            /*isLeast=*/false,
            /*isMask=*/true,
            isPartial(indices.getRange()) ? op : nullptr};
  if (isa<tile::ValidOp>(op))
    return {{},
            BoolAttr::get(op->getContext(), false),
            /*isLeast=*/false,
            /*isMask=*/true};
  if (auto gemm = dyn_cast<tile::GemmOp>(op))
    return computeProduct(gemm, axis);
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return get(transpose.getSource(), 1 - axis);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    int64_t added = expand.getAxis();
    return axis == added ? Padding()
                         : get(expand.getSource(), axis - (axis > added));
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return broadcast.getSource().getType().getDimSize(axis) == 1
               ? Padding()
               : get(broadcast.getSource(), axis);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    int64_t dropped = reduce.getAxis();
    return getCombination(get(reduce.getSource(), axis + (axis >= dropped)));
  }
  // A running sum keeps its value past the end.
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return axis == static_cast<int64_t>(scan.getAxis())
               ? Padding()
               : getCombination(get(scan.getSource(), axis));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return computeSelect(select, axis);
  if (auto rearrange = dyn_cast<tile::RearrangeOp>(op))
    return keepsAxes(rearrange) ? get(rearrange.getSources().front(), axis)
                                : Padding();
  if (OpTrait::hasElementwiseMappableTraits(op))
    return computeElementwise(op, axis);
  return {};
}

Padding PaddingAnalysis::computeLoad(tile::LoadOp load, int64_t axis) {
  if (TypedAttr fill = load.getFillAttr())
    return {{}, fill};
  if (!isPadded(load, axis))
    return {};
  Type element = getElementTypeOrSelf(load.getType());
  Attribute zero = isa<FloatType>(element)
                       ? Attribute(FloatAttr::get(element, 0))
                       : IntegerAttr::get(element, 0);
  return {load, zero};
}

Padding PaddingAnalysis::computeProduct(tile::GemmOp gemm, int64_t axis) {
  // Columns of a product are those of `b`, rows are those of `a`.
  Padding terms = axis == 1 ? get(gemm.getB(), 1 - gemm.getTermDimOfB())
                            : get(gemm.getA(), 1 - gemm.getTermDimOfA());
  Padding sum = get(gemm.getAccumulator(), axis);
  return {terms.load ? terms.load : sum.load,
          isZero(terms.value) ? sum.value : Attribute(), /*isLeast=*/false,
          terms.isMask || sum.isMask};
}

Padding PaddingAnalysis::computeSelect(arith::SelectOp select, int64_t axis) {
  Padding condition = get(select.getCondition(), axis),
          chosen = get(select.getTrueValue(), axis),
          otherwise = get(select.getFalseValue(), axis);
  if (condition.isMask) {
    Attribute zero;
    for (const Padding &arm : {chosen, otherwise})
      if (isZero(arm.value))
        zero = arm.value;
    return {{}, zero, /*isLeast=*/false, /*isMask=*/true};
  }
  // A scalar condition, or one that is computed from partial loads.
  Padding result = !condition.value          ? join(chosen, otherwise)
                   : isZero(condition.value) ? otherwise
                                             : chosen;
  if (!result.getOrigin() && !result.isMask)
    result.chosenBy = condition.load;
  return result;
}

Padding PaddingAnalysis::computeElementwise(Operation *op, int64_t axis) {
  SmallVector<Padding, 2> operands;
  Padding result;
  bool isLeast = true;
  for (OpOperand &operand : op->getOpOperands()) {
    Padding padding = get(operand.get(), axis);
    if (!result.load)
      result.load = padding.load;
    if (!result.chosenBy)
      result.chosenBy = padding.chosenBy;
    isLeast &= !padding.load || (padding.isLeast &&
                                 !isDecreasing(op, operand.getOperandNumber()));
    result.isMask |= padding.isMask;
    operands.push_back(padding);
  }
  if (isProduct(op))
    for (const Padding &factor : operands)
      if (factor.isMasked())
        return factor;
  // A comparison of positions is a mask.
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    result.chosenBy = nullptr;
  result.isLeast = result.load && (isLeast || isNonNegative(op));
  result.value = computeValue(op, operands, axis);
  return result;
}

Attribute PaddingAnalysis::computeValue(Operation *op,
                                        ArrayRef<Padding> operands,
                                        int64_t axis) {
  // An integer quotient of zero is zero, also that by zero; so is a shift.
  if (isa<arith::FloorDivSIOp, arith::DivUIOp, arith::ShLIOp, arith::ShRSIOp,
          arith::ShRUIOp>(op) &&
      isZero(operands[0].value))
    return operands[0].value;
  if (llvm::any_of(operands,
                   [](const Padding &operand) { return !operand.value; })) {
    // Zero times an unknown number, and zero divided by one.
    if (isProduct(op))
      for (const Padding &operand : operands)
        if (isZero(operand.value))
          return operand.value;
    return isa<arith::DivFOp>(op) && isZero(operands[0].value)
               ? operands[0].value
               : Attribute();
  }
  // The folder of comparisons of floats is for scalars.
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return BoolAttr::get(op->getContext(),
                         arith::applyCmpPredicate(
                             compare.getPredicate(),
                             cast<FloatAttr>(operands[0].value).getValue(),
                             cast<FloatAttr>(operands[1].value).getValue()));
  SmallVector<Attribute> values;
  for (auto [operand, padding] : llvm::zip_equal(op->getOperands(), operands)) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return {};
    values.push_back(DenseElementsAttr::get(type, padding.value));
  }
  // Folding may change an operation, so it works on a copy.
  Operation *copy = op->clone();
  SmallVector<OpFoldResult> folded;
  bool isFolded = succeeded(copy->fold(values, folded)) && folded.size() == 1;
  copy->destroy();
  if (!isFolded)
    return {};
  if (auto value = dyn_cast<Value>(folded[0]))
    return get(value, axis).value;
  auto elements =
      dyn_cast_if_present<DenseElementsAttr>(cast<Attribute>(folded[0]));
  return elements && elements.isSplat() ? elements.getSplatValue<Attribute>()
                                        : Attribute();
}

SmallVector<PaddedReduction> tessera::frontend::findPaddedReductions(
    tile::KernelOp kernel,
    const llvm::DenseMap<Location, OrderCall> &orderCalls) {
  PaddingAnalysis analysis(orderCalls);
  analysis.run(kernel.getBody().front());
  return std::move(analysis.found);
}
