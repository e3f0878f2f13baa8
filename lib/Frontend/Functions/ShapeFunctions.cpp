//===- ShapeFunctions.cpp - Tiles of other shapes ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `reshape`, `permute`, `flip`, `broadcast`, `split`, `join` and `concat`. Each
// of them selects elements by affine index maps (tile.rearrange). An axis keeps
// the name of the size that it walks if its positions stay.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"
#include "Expressions/AxisNames.h"
#include "Expressions/Rearranged.h"

using namespace tessera;
using namespace tessera::frontend;
using tile::IndexMap;

static int64_t countElements(ArrayRef<int64_t> shape) {
  return llvm::product_of(shape);
}

static std::string printShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, " x ");
  return text;
}

//===----------------------------------------------------------------------===//
// A tile and numbers
//===----------------------------------------------------------------------===//

/// Generates the first argument, a tile, and evaluates the others, which are
/// numbers. Returns an error entity after an error.
Entity BuiltinFunctions::genShaped(const CallExpr &call, StringRef each,
                                   SmallVectorImpl<int64_t> &numbers) {
  std::string what = ("`" + call.callee.text + "`").str();
  for (const Argument &argument : call.arguments) {
    if (argument.name.text.empty() && !argument.whole)
      continue;
    error(argument.value->place)
        << what << " takes a tile and then " << each << "s by position, as in `"
        << call.callee.text << "(x, " << (each == "axis" ? "1, 0" : "32, 64")
        << ")`";
    return Entity();
  }
  if (call.arguments.size() < 2) {
    error(call.place) << what << " takes a tile and then " << each
                      << "s, as in `" << call.callee.text << "(x, "
                      << (each == "axis" ? "1, 0" : "32, 64") << ")`";
    return Entity();
  }
  Entity source = walk.genExpr(call.arguments.front().value);
  if (!conversions.checkTile(source, call.arguments.front().value->place,
                             "the operand of " + what))
    return Entity();
  for (const Argument &argument : llvm::drop_begin(call.arguments)) {
    std::optional<int64_t> number = walk.evaluateInteger(
        argument.value, ("an " + each + " of " + what).str());
    if (!number)
      return Entity();
    numbers.push_back(*number);
  }
  return source;
}

void BuiltinFunctions::reportInferred(const Entity &source,
                                      ArrayRef<int64_t> shape,
                                      const CallExpr &call) {
  const auto *inferred = llvm::find(shape, -1);
  auto diagnostic =
      error(call.arguments[inferred - shape.begin() + 1].value->place);
  diagnostic << "`reshape` infers no extent";
  int64_t elements = countElements(source.getShape());
  for (const int64_t &extent : shape)
    if (&extent != inferred)
      elements = extent > 0 && elements % extent == 0 ? elements / extent : 0;
  if (elements)
    diagnostic << "; write " << elements << " instead of -1";
}

Entity BuiltinFunctions::genReshape(const CallExpr &call) {
  SmallVector<int64_t> shape;
  Entity source = genShaped(call, "extent", shape);
  if (!source.isError() && llvm::is_contained(shape, -1)) {
    reportInferred(source, shape, call);
    return Entity();
  }
  // Checks the extents first, so that their product does not overflow.
  if (source.isError() ||
      !getTileType(shape, source.getElementType(), call.place))
    return Entity();
  ArrayRef<int64_t> from = source.getShape();
  if (countElements(shape) != countElements(from)) {
    error(call.place) << source.describe() << " has " << countElements(from)
                      << " elements, but " << printShape(shape) << " are "
                      << countElements(shape);
    return Entity();
  }
  // Leading and trailing axes of equal extents keep their positions.
  AxisNames names(shape.size());
  for (size_t i = 0; i < std::min(shape.size(), from.size()); ++i) {
    if (shape[i] != from[i])
      break;
    names[i] = source.getAxisName(i);
  }
  for (size_t i = 1; i <= std::min(shape.size(), from.size()); ++i) {
    if (shape[shape.size() - i] != from[from.size() - i])
      break;
    names[shape.size() - i] = source.getAxisName(from.size() - i);
  }
  return genRearranged(context, source.getValue(), IndexMap::getReshape(shape),
                       shape, call.place)
      .withAxisNames(names);
}

Entity BuiltinFunctions::genPermute(const CallExpr &call) {
  SmallVector<int64_t> axes;
  Entity source = genShaped(call, "axis", axes);
  if (source.isError())
    return Entity();
  ArrayRef<int64_t> from = source.getShape();
  SmallVector<int64_t> sorted(axes);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, from.size()))) {
    error(call.place) << "`permute` names each axis of " << source.describe()
                      << " once, from 0 to " << from.size() - 1
                      << ": the axis of the operand for each axis of the "
                         "result";
    return Entity();
  }
  IndexMap map;
  SmallVector<int64_t> shape, rows = tile::getRowStrides(from);
  AxisNames names;
  for (int64_t axis : axes) {
    shape.push_back(from[axis]);
    map.strides.push_back(rows[axis]);
    names.push_back(source.getAxisName(axis));
  }
  // Products know transposed operands.
  if (axes == ArrayRef<int64_t>{1, 0})
    return Entity::runtime(tile::TransposeOp::create(
                               builder, getLoc(call.place), source.getValue()))
        .withAxisNames(names);
  return genRearranged(context, source.getValue(), map, shape, call.place)
      .withAxisNames(names);
}

Entity BuiltinFunctions::genBroadcast(const CallExpr &call) {
  SmallVector<int64_t> shape;
  Entity source = genShaped(call, "extent", shape);
  if (source.isError())
    return Entity();
  ArrayRef<int64_t> from = source.getShape();
  bool fits = from.size() == shape.size() &&
              llvm::all_of_zip(from, shape, [](int64_t extent, int64_t other) {
                return extent == 1 || extent == other;
              });
  if (!fits) {
    error(call.place) << "`broadcast` repeats a tile along its axes of extent "
                         "1, which `x[:, _]` adds; "
                      << source.describe() << " does not become "
                      << printShape(shape);
    return Entity();
  }
  RankedTensorType type =
      getTileType(shape, source.getElementType(), call.place);
  if (!type)
    return Entity();
  AxisNames names;
  for (auto [axis, extent] : llvm::enumerate(from))
    names.push_back(extent == shape[axis] ? source.getAxisName(axis)
                                          : StringAttr());
  return Entity::runtime(tile::BroadcastOp::create(builder, getLoc(call.place),
                                                   type, source.getValue()))
      .withAxisNames(names);
}

Entity BuiltinFunctions::genFlip(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x", "axis"}, 2, arguments, 1))
    return Entity();
  Entity source = walk.genExpr(arguments[0]->value);
  if (!conversions.checkTile(source, call.place, "the operand of `flip`"))
    return Entity();
  std::optional<int64_t> axis =
      evaluateAxis(arguments[1]->value, source, "`flip`");
  if (!axis)
    return Entity();
  ArrayRef<int64_t> shape = source.getShape();
  IndexMap map = IndexMap::getReshape(shape);
  map.offset = (shape[*axis] - 1) * map.strides[*axis];
  map.strides[*axis] = -map.strides[*axis];
  context.orderCalls.try_emplace(getLoc(call.place),
                                 OrderCall{call.callee.text, *axis,
                                           /*isDescending=*/false,
                                           /*isUnsigned=*/false});
  AxisNames names = source.getAxisNames();
  if (!names.empty())
    names[*axis] = {};
  return genRearranged(context, source.getValue(), map, shape, call.place)
      .withAxisNames(names);
}

Entity BuiltinFunctions::genSplit(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"x"}, 1, arguments))
    return Entity();
  Entity source = walk.genExpr(arguments[0]->value);
  if (!conversions.checkTile(source, call.place, "the operand of `split`"))
    return Entity();
  SmallVector<int64_t> shape(source.getShape());
  if (shape.back() % 2 != 0) {
    error(call.place) << "`split` gives the elements of even and of odd "
                         "positions along the last axis, whose extent is even; "
                         "got "
                      << source.describe();
    return Entity();
  }
  IndexMap map = IndexMap::getReshape(shape);
  map.strides.back() = 2;
  shape.back() /= 2;
  AxisNames names = source.getAxisNames();
  if (!names.empty())
    names.back() = {};
  std::vector<Entity> results;
  for (map.offset = 0; map.offset < 2; ++map.offset)
    results.push_back(
        genRearranged(context, source.getValue(), map, shape, call.place)
            .withAxisNames(names));
  return Entity::several(std::move(results));
}

//===----------------------------------------------------------------------===//
// Several tiles
//===----------------------------------------------------------------------===//

/// Generates the operands, tiles of one element type. Returns false after an
/// error.
bool BuiltinFunctions::genJoined(ArrayRef<const Argument *> arguments,
                                 StringRef what,
                                 SmallVectorImpl<Entity> &sources) {
  for (const Argument *argument : arguments) {
    Entity source = walk.genExpr(argument->value);
    if (!conversions.checkTile(source, argument->value->place,
                               ("the operand of " + what).str()))
      return false;
    if (!sources.empty() &&
        source.getElementType() != sources.front().getElementType()) {
      error(argument->value->place)
          << "the operands of " << what << " are " << sources.front().describe()
          << " and " << source.describe() << "; convert one with `as`";
      return false;
    }
    sources.push_back(source);
  }
  return true;
}

Entity BuiltinFunctions::genJoin(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  SmallVector<Entity> sources;
  if (!matchArguments(context, call, {"x", "y"}, 2, arguments) ||
      !genJoined(arguments, "`join`", sources))
    return Entity();
  SmallVector<int64_t> shape(sources[0].getShape());
  if (ArrayRef<int64_t>(shape) != sources[1].getShape()) {
    error(call.place) << "the shapes of the operands of `join` do not match: "
                      << sources[0].describe() << " and "
                      << sources[1].describe();
    return Entity();
  }
  AxisNames names;
  if (!joinAxisNames(context, sources, call.place, "`join`", names))
    return Entity();
  names.back() = {};
  int64_t elements = countElements(shape);
  shape.back() *= 2;
  if (!getTileType(shape, sources[0].getElementType(), call.place))
    return Entity();
  // Pairs of elements with equal numbers, then the shape.
  Entity pairs =
      genRearranged(context, {sources[0].getValue(), sources[1].getValue()},
                    {0, {1, elements}, 0}, {elements, 2}, call.place);
  if (pairs.isError())
    return Entity();
  return genRearranged(context, pairs.getValue(), IndexMap::getReshape(shape),
                       shape, call.place)
      .withAxisNames(names);
}

/// Checks the shapes of tiles that are joined along `axis`, and returns the
/// shape and the axis names of the result. The shape is empty after an error.
SmallVector<int64_t> BuiltinFunctions::findJoinedShape(ArrayRef<Entity> sources,
                                                       int64_t axis,
                                                       SourcePlace place,
                                                       AxisNames &names) {
  SmallVector<int64_t> shape(sources[0].getShape());
  names.assign(shape.size(), StringAttr());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    names[dim] = sources[0].getAxisName(dim);
  names[axis] = {};
  for (const Entity &source : sources.drop_front()) {
    ArrayRef<int64_t> other = source.getShape();
    bool fits = other.size() == shape.size();
    for (size_t dim = 0; fits && dim < shape.size(); ++dim)
      fits = static_cast<int64_t>(dim) == axis || other[dim] == shape[dim];
    if (!fits) {
      error(place) << "the operands of `concat` have equal extents except "
                      "along the axis "
                   << axis << ", got " << sources[0].describe() << " and "
                   << source.describe();
      return {};
    }
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      StringAttr name = source.getAxisName(dim);
      if (static_cast<int64_t>(dim) == axis || !name)
        continue;
      if (names[dim] && names[dim] != name) {
        error(place) << "the operands of `concat` walk `"
                     << names[dim].getValue() << "` and `" << name.getValue()
                     << "` along axis " << dim;
        return {};
      }
      names[dim] = name;
    }
    shape[axis] += other[axis];
  }
  return shape;
}

Entity BuiltinFunctions::genConcat(const CallExpr &call) {
  SmallVector<const Argument *> tiles;
  const Argument *axis = nullptr;
  for (const Argument &argument : call.arguments) {
    if (argument.name.text.empty()) {
      tiles.push_back(&argument);
      continue;
    }
    if (argument.name.text != "axis" || axis) {
      error(argument.value->place)
          << "`concat` takes tiles and one `axis` by name, as in `concat(x, y, "
             "axis = 0)`";
      return Entity();
    }
    axis = &argument;
  }
  if (tiles.size() < 2 || !axis) {
    error(call.place) << "`concat` needs "
                      << (axis ? "at least two tiles" : "an argument `axis`")
                      << ", as in `concat(x, y, axis = 0)`";
    return Entity();
  }
  SmallVector<Entity> sources;
  if (!genJoined(tiles, "`concat`", sources))
    return Entity();
  std::optional<int64_t> number =
      evaluateAxis(axis->value, sources[0], "`concat`");
  if (!number)
    return Entity();
  AxisNames names;
  SmallVector<int64_t> shape =
      findJoinedShape(sources, *number, call.place, names);
  if (shape.empty() ||
      !getTileType(shape, sources[0].getElementType(), call.place))
    return Entity();
  return concat(sources, *number, shape, call.place).withAxisNames(names);
}

Entity BuiltinFunctions::concat(ArrayRef<Entity> sources, int64_t axis,
                                ArrayRef<int64_t> shape, SourcePlace place) {
  int64_t outer = countElements(shape.take_front(axis));
  int64_t inner = countElements(shape.drop_front(axis + 1));
  auto reshape = [&](const Entity &source) {
    return genRearranged(context, source.getValue(),
                         IndexMap::getReshape(shape), shape, place);
  };
  SmallVector<Value> values;
  SmallVector<int64_t> others(shape);
  others.erase(others.begin() + axis);
  bool isEqual = llvm::all_of(others, llvm::isPowerOf2_64);
  for (const Entity &source : sources) {
    values.push_back(source.getValue());
    isEqual &= source.getShape()[axis] == sources[0].getShape()[axis];
  }
  // The elements of the operands follow each other.
  if (outer == 1)
    return genRearranged(context, values, IndexMap::getReshape(shape), shape,
                         place);
  // The operands are the positions of a new dimension.
  if (isEqual) {
    int64_t count = sources.size(), part = shape[axis] * inner / count;
    Entity parts =
        genRearranged(context, values, {0, {part, outer * part, 1}, 0},
                      {outer, count, part}, place);
    return parts.isError() ? parts : reshape(parts);
  }
  // The joined axis becomes the first one, and then returns to its place. The
  // others stay apart, so that their extents can be padded.
  SmallVector<int64_t> turnedShape(others);
  turnedShape.insert(turnedShape.begin(), 0);
  for (auto [value, source] : llvm::zip_equal(values, sources)) {
    SmallVector<int64_t> rows = tile::getRowStrides(source.getShape());
    std::rotate(rows.begin(), rows.begin() + axis, rows.begin() + axis + 1);
    turnedShape.front() = source.getShape()[axis];
    Entity turned =
        genRearranged(context, value, {0, rows, 0}, turnedShape, place);
    if (turned.isError())
      return Entity();
    value = turned.getValue();
  }
  SmallVector<int64_t> rows = tile::getRowStrides(others);
  rows.insert(rows.begin() + axis, countElements(others));
  return genRearranged(context, values, {0, rows, 0}, shape, place);
}
