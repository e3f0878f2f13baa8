//===- SortFunctions.cpp - Sorted tiles -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `sort`, `argsort` and `top` by bitonic networks (Batcher, 1968). Elements
// become integer keys of equal order. If positions are needed, a key and its
// position are one integer, so all keys differ and the order is stable. A step
// of the network takes the partner of each element by a rearrangement that
// inverts bits of positions, and keeps the minimum or the maximum of both.
//
// The axis is the last one, and its extent is a power of two: other tiles are
// permuted, and extended by the greatest key.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"
#include "Expressions/InvalidIndexMasks.h"
#include "Expressions/Rearranged.h"

using namespace tessera;
using namespace tessera::frontend;
using tile::IndexMap;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

namespace {
/// Emits integer arithmetic on tiles.
class TileArithmetic {
public:
  TileArithmetic(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  Value constant(Value like, int64_t value) {
    auto type = cast<RankedTensorType>(like.getType());
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, static_cast<Attribute>(
                      builder.getIntegerAttr(type.getElementType(), value))));
  }
  template <typename OpTy>
  Value apply(Value x, int64_t y) {
    return OpTy::create(builder, loc, x, constant(x, y));
  }
  template <typename OpTy>
  Value convert(Value x, Type element) {
    return OpTy::create(builder, loc,
                        cast<RankedTensorType>(x.getType()).clone(element), x);
  }
  Value isEqual(Value x, int64_t y) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, x,
                                 constant(x, y));
  }

private:
  OpBuilder &builder;
  Location loc;
};
} // namespace

/// Emits the involution between the bits of floats and integers of equal order:
/// it inverts all bits below the sign of negative numbers.
static Value orderBits(TileArithmetic &emit, OpBuilder &builder, Location loc,
                       Value bits, unsigned width) {
  Value sign = emit.apply<arith::ShRSIOp>(bits, width - 1);
  Value inverted = emit.apply<arith::AndIOp>(sign, llvm::maxIntN(width));
  return arith::XOrIOp::create(builder, loc, bits, inverted);
}

Value BuiltinFunctions::makeKeys(const Entity &source, bool isDescending,
                                 SourcePlace place) {
  Location loc = getLoc(place);
  TileArithmetic emit(builder, loc);
  Value value = source.getValue();
  Type element = source.getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  Value keys;
  if (isa<FloatType>(element)) {
    // All values of f8 are values of f16.
    if (width == 8) {
      element = builder.getF16Type();
      value = emit.convert<arith::ExtFOp>(value, element);
      width = 16;
    }
    keys = emit.convert<arith::BitcastOp>(value, builder.getIntegerType(width));
    keys = orderBits(emit, builder, loc, keys, width);
    // Both zeros are equal, and NaN is the greatest element.
    Value zero = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            cast<RankedTensorType>(value.getType()),
            static_cast<Attribute>(builder.getFloatAttr(element, 0))));
    auto compare = [&](arith::CmpFPredicate predicate, Value other) {
      return arith::CmpFOp::create(builder, loc, predicate, value, other);
    };
    keys = arith::SelectOp::create(builder, loc,
                                   compare(arith::CmpFPredicate::OEQ, zero),
                                   emit.constant(keys, 0), keys);
    keys = arith::SelectOp::create(
        builder, loc, compare(arith::CmpFPredicate::UNO, value),
        emit.constant(keys, llvm::maxIntN(width)), keys);
  } else {
    // The order of unsigned integers is that of signed ones with the other
    // sign.
    keys = element.isUnsignedInteger() ? flipSign(value, place) : value;
    if (element.isUnsignedInteger())
      keys =
          emit.convert<arith::BitcastOp>(keys, builder.getIntegerType(width));
  }
  if (width < 32)
    keys = emit.convert<arith::ExtSIOp>(keys, builder.getI32Type());
  return isDescending ? emit.apply<arith::XOrIOp>(keys, -1) : keys;
}

Value BuiltinFunctions::makeElements(Value keys, Type element,
                                     bool isDescending, SourcePlace place) {
  Location loc = getLoc(place);
  TileArithmetic emit(builder, loc);
  if (isDescending)
    keys = emit.apply<arith::XOrIOp>(keys, -1);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isFloat = isa<FloatType>(element);
  unsigned bits = isFloat ? std::max(width, 16u) : width;
  if (bits < getElementTypeOrSelf(keys).getIntOrFloatBitWidth())
    keys = emit.convert<arith::TruncIOp>(keys, builder.getIntegerType(bits));
  if (!isFloat) {
    if (!element.isUnsignedInteger())
      return keys;
    return flipSign(emit.convert<arith::BitcastOp>(keys, element), place);
  }
  keys = orderBits(emit, builder, loc, keys, bits);
  if (width == 8)
    return emit.convert<arith::TruncFOp>(
        emit.convert<arith::BitcastOp>(keys, builder.getF16Type()), element);
  return emit.convert<arith::BitcastOp>(keys, element);
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

/// Takes the partner of each element, at the position that differs in the bits
/// of `toggle`.
static Value getPartners(OpBuilder &builder, Location loc, Value tile,
                         int64_t toggle) {
  auto type = cast<RankedTensorType>(tile.getType());
  return tile::RearrangeOp::create(builder, loc, type, tile, /*offset=*/0,
                                   tile::getRowStrides(type.getShape()),
                                   toggle);
}

/// Orders each element and its partner: the lower position keeps the lesser
/// one.
static Value orderPartners(OpBuilder &builder, Location loc, Value tile,
                           int64_t toggle) {
  auto type = cast<RankedTensorType>(tile.getType());
  Value partners = getPartners(builder, loc, tile, toggle);
  Value positions = tile::IotaOp::create(
      builder, loc,
      RankedTensorType::get(type.getShape().back(), builder.getI32Type()));
  TileArithmetic emit(builder, loc);
  Value isLower = emit.isEqual(
      emit.apply<arith::AndIOp>(positions, llvm::bit_floor<uint64_t>(toggle)),
      0);
  for (int64_t dim = 0; dim + 1 < type.getRank(); ++dim)
    isLower = tile::ExpandDimsOp::create(builder, loc, isLower, dim);
  isLower = builder.createOrFold<tile::BroadcastOp>(
      loc, type.clone(builder.getI1Type()), isLower);
  return arith::SelectOp::create(
      builder, loc, isLower,
      arith::MinSIOp::create(builder, loc, tile, partners),
      arith::MaxSIOp::create(builder, loc, tile, partners));
}

/// Sorts runs of `length` elements along the last axis. Both halves of a run
/// are sorted before.
static Value mergeRuns(OpBuilder &builder, Location loc, Value tile,
                       int64_t length) {
  tile = orderPartners(builder, loc, tile, length - 1);
  for (int64_t distance = length / 4; distance >= 1; distance /= 2)
    tile = orderPartners(builder, loc, tile, distance);
  return tile;
}

/// A row of this length is in four registers of the lanes of a warp.
static constexpr int64_t kShortRow = 128;

/// Takes the lesser of each element of the first half of rows and its partner
/// in the second half, where runs of `run` elements are reversed.
static Value takeLesserHalf(OpBuilder &builder, Location loc, Value tile,
                            int64_t run) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t length = type.getShape().back();
  int64_t outer = type.getNumElements() / length;
  auto half = RankedTensorType::get({outer, length / 2 / run, run},
                                    type.getElementType());
  auto take = [&](int64_t first, int64_t step) -> Value {
    SmallVector<int64_t> strides = {length, run, step};
    return tile::RearrangeOp::create(builder, loc, half, tile, first, strides,
                                     /*toggle=*/0);
  };
  Value least = arith::MinSIOp::create(builder, loc, take(0, 1),
                                       take(length / 2 + run - 1, -1));
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = length / 2;
  return tile::RearrangeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), least,
      /*offset=*/0, tile::getRowStrides(shape), /*toggle=*/0);
}

/// Orders the `count` least elements along the last axis, at its first
/// positions. `count` and the extent are powers of two.
static Value sortLeast(OpBuilder &builder, Location loc, Value tile,
                       int64_t count) {
  int64_t length = cast<RankedTensorType>(tile.getType()).getShape().back();
  for (int64_t run = 2; run <= count; run *= 2)
    tile = mergeRuns(builder, loc, tile, run);
  // Of two sorted runs, the lesser of an element and its partner in the
  // reversed other run are the least ones, as a bitonic sequence. Short rows
  // keep them twice, so that threads only shuffle.
  for (; length > count; length /= 2) {
    if (length > kShortRow)
      tile = takeLesserHalf(builder, loc, tile, count);
    else
      tile = arith::MinSIOp::create(
          builder, loc, tile,
          getPartners(builder, loc, tile, length / 2 + count - 1));
    for (int64_t distance = count / 2; distance >= 1; distance /= 2)
      tile = orderPartners(builder, loc, tile, distance);
  }
  return tile;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Moves axis `from` of a tile to the place `to`.
Value BuiltinFunctions::moveAxis(Value tile, int64_t from, int64_t to,
                                 SourcePlace place) {
  if (from == to)
    return tile;
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(type.getRank()));
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  SmallVector<int64_t> rows = tile::getRowStrides(type.getShape());
  IndexMap map;
  SmallVector<int64_t> shape;
  for (int64_t axis : axes) {
    shape.push_back(type.getDimSize(axis));
    map.strides.push_back(rows[axis]);
  }
  return genRearranged(context, tile, map, shape, place).getValue();
}

Entity BuiltinFunctions::genSorted(const CallExpr &call) {
  StringRef name = call.callee.text;
  std::string what = ("`" + name + "`").str();
  bool isTop = name == "top", hasPositions = name != "sort";
  SmallVector<StringRef> parameters = {"x"};
  if (isTop)
    parameters.push_back("k");
  size_t named = parameters.size();
  parameters.append({"axis", "descending"});
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, parameters, named + 1, arguments, named))
    return Entity();
  Entity source = walk.genExpr(arguments[0]->value);
  if (!checkReduced(source, call.place, what))
    return Entity();
  std::optional<int64_t> axis =
      evaluateAxis(arguments[named]->value, source, what);
  std::optional<bool> isDescending = isTop;
  if (arguments[named + 1])
    isDescending =
        walk.evaluateBool(arguments[named + 1]->value, "`descending`");
  if (!axis || !isDescending)
    return Entity();
  int64_t extent = source.getShape()[*axis], count = extent;
  if (isTop) {
    std::optional<int64_t> k =
        walk.evaluateInteger(arguments[1]->value, "the `k` of `top`");
    if (!k)
      return Entity();
    count = *k;
    if (count < 1 || count > extent) {
      error(arguments[1]->value->place)
          << "`top` takes from 1 to " << extent
          << " elements of this axis, got " << count;
      return Entity();
    }
  }
  unsigned width = source.getElementType().getIntOrFloatBitWidth();
  if (hasPositions && width > 32) {
    error(call.place) << what << " is for elements of at most 32 bits, got "
                      << source.describe()
                      << "; `sort` orders them without their positions";
    return Entity();
  }

  Location loc = getLoc(call.place);
  context.orderCalls.try_emplace(
      loc, OrderCall{name, *axis, *isDescending,
                     source.getElementType().isUnsignedInteger()});
  TileArithmetic emit(builder, loc);
  int64_t last = source.getShape().size() - 1;
  Value keys = moveAxis(makeKeys(source, *isDescending, call.place), *axis,
                        last, call.place);
  // A key of 16 bits and a position are one word.
  unsigned shift = width <= 16 && extent <= 1 << 16 ? 16 : 32;
  if (hasPositions) {
    auto type = cast<RankedTensorType>(keys.getType());
    Type wide = builder.getIntegerType(2 * shift);
    Value positions = tile::IotaOp::create(
        builder, loc, RankedTensorType::get(extent, builder.getI32Type()));
    if (shift == 32) {
      keys = emit.convert<arith::ExtSIOp>(keys, wide);
      positions = emit.convert<arith::ExtUIOp>(positions, wide);
    }
    for (int64_t dim = 0; dim < last; ++dim)
      positions = tile::ExpandDimsOp::create(builder, loc, positions, dim);
    positions = builder.createOrFold<tile::BroadcastOp>(loc, type.clone(wide),
                                                        positions);
    keys = arith::OrIOp::create(
        builder, loc, emit.apply<arith::ShLIOp>(keys, shift), positions);
  }
  if (int64_t padded = llvm::PowerOf2Ceil(extent); padded != extent) {
    auto type = cast<RankedTensorType>(keys.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = padded;
    if (!getTileType(shape, type.getElementType(), call.place))
      return Entity();
    SmallVector<int64_t> rest(shape);
    rest.back() = padded - extent;
    Value greatest =
        emit.constant(keys, llvm::maxIntN(type.getElementTypeBitWidth()));
    greatest = arith::ConstantOp::create(
        builder, loc,
        cast<DenseElementsAttr>(
            greatest.getDefiningOp<arith::ConstantOp>().getValue())
            .resizeSplat(RankedTensorType::get(rest, type.getElementType())));
    keys = concat({Entity::runtime(keys), Entity::runtime(greatest)}, last,
                  shape, call.place)
               .getValue();
  }
  keys = sortLeast(builder, loc, keys, llvm::PowerOf2Ceil(count));
  SmallVector<int64_t> shape(cast<RankedTensorType>(keys.getType()).getShape());
  // One element has no network.
  if (extent == 1)
    keys = genRearranged(context, keys, IndexMap::getReshape(shape), shape,
                         call.place)
               .getValue();
  markPositions(keys);
  if (shape.back() != count) {
    IndexMap map = IndexMap::getReshape(shape);
    shape.back() = count;
    keys = genRearranged(context, keys, map, shape, call.place).getValue();
  }
  keys = moveAxis(keys, last, *axis, call.place);
  AxisNames names = source.getAxisNames();
  if (!names.empty())
    names[*axis] = {};
  auto makeResult = [&](Value value) {
    return Entity::runtime(value).withAxisNames(names);
  };
  if (!hasPositions)
    return makeResult(
        makeElements(keys, source.getElementType(), *isDescending, call.place));
  Value positions =
      shift == 16 ? emit.apply<arith::AndIOp>(keys, 0xffff)
                  : emit.convert<arith::TruncIOp>(keys, builder.getI32Type());
  if (!isTop)
    return makeResult(positions);
  keys = emit.apply<arith::ShRSIOp>(keys, shift);
  if (shift == 32)
    keys = emit.convert<arith::TruncIOp>(keys, builder.getI32Type());
  return Entity::several({makeResult(makeElements(keys, source.getElementType(),
                                                  *isDescending, call.place)),
                          makeResult(positions)});
}
