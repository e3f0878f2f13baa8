//===- AccessGenerator.cpp - Indexing of tensors and tiles ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indexing has three meanings:
//
//   x[b, m, :]         loads from a tensor in global memory
//   x[b, m, :] = …     names the elements of a store or of `atomic_add`
//   t[:, _]            adds a dimension to a tile
//   t[:, 0:32], t[3, :]  take a part of a tile
//
// A range may index only the dimension that it walks.
//
//===----------------------------------------------------------------------===//

#include "AccessGenerator.h"
#include "AxisNames.h"
#include "Rearranged.h"
#include "Shapes.h"
#include "Warnings/Warnings.h"

using namespace tessera;
using namespace tessera::frontend;

static bool isValue(const IndexItem &item) {
  return item.kind == IndexItem::Kind::Value;
}

bool AccessGenerator::reportSplitIndex(const IndexExpr &expr) {
  auto *first = dyn_cast<IndexExpr>(expr.base);
  auto *name = first ? dyn_cast<NameExpr>(first->base) : nullptr;
  Symbol *symbol = name ? scopes.lookup(name->name) : nullptr;
  if (!symbol || !symbol->entity.is(Kind::Global) || expr.items.empty() ||
      !llvm::all_of(expr.items, isValue) ||
      first->items.size() >=
          static_cast<size_t>(symbol->entity.getGlobalType().getRank()))
    return false;
  error(expr.items.front().place)
      << "a tensor takes all its indices in one pair of brackets, as in `x[m, "
         "n]`; a second pair indexes the loaded tile, as in `x[m, n][0, :]`";
  return true;
}

Entity AccessGenerator::genIndexing(const IndexExpr &expr) {
  // `f32[4]` as a value is a type.
  if (auto *name = dyn_cast<NameExpr>(expr.base)) {
    Symbol *symbol = scopes.lookup(name->name);
    if (symbol ? symbol->entity.is(Kind::Type)
               : lookupTypeName(builder.getContext(), name->name) != Type()) {
      Type type = walk.evaluateTileType(expr);
      return type ? Entity::typed(type) : Entity();
    }
  }
  if (reportSplitIndex(expr))
    return Entity();
  Entity base = walk.genExpr(expr.base);
  if (base.isError())
    return Entity();
  if (base.is(Kind::Tile))
    return genTileIndexing(expr, base);
  if (!base.is(Kind::Global)) {
    error(expr.place) << base.describe()
                      << " cannot be indexed; only tensors and tiles can";
    return Entity();
  }
  std::optional<Access> access = genAccess(expr, base, Access::Use::Read);
  if (!access)
    return Entity();
  Value value = tile::LoadOp::create(
      builder, getLoc(expr.place), access->valueType, access->global,
      access->indices, TypedAttr(), DenseBoolArrayAttr(), access->axes,
      DenseBoolArrayAttr());
  return Entity::runtime(value).withAxisNames(access->axisNames);
}

/// Returns the source of the positions along an axis, as a tile whose other
/// axes have extent 1: `iota(64)[_, :]`.
static std::string getPositionsAlong(unsigned axis, ArrayRef<int64_t> shape) {
  std::string text = "iota(" + std::to_string(shape[axis]) + ")";
  if (shape.size() == 1)
    return text;
  for (unsigned other = 0; other < shape.size(); ++other)
    text += (other ? ", " : "[") + std::string(other == axis ? ":" : "_");
  return text + "]";
}

std::optional<AccessGenerator::Part>
AccessGenerator::evaluatePart(const IndexItem &item, const Entity &base,
                              unsigned axis) {
  int64_t extent = base.getShape()[axis];
  auto evaluate = [&](const Expr *bound, int64_t otherwise, StringRef what) {
    return bound ? walk.evaluateInteger(bound, what) : std::optional(otherwise);
  };
  if (item.kind == IndexItem::Kind::Value) {
    Entity index = walk.genExpr(item.value);
    if (index.isError())
      return std::nullopt;
    if (!index.is(Kind::Integer)) {
      auto diagnostic = error(item.place);
      if (index.is(Kind::Float)) {
        diagnostic << "an index of a tile is an `int`, got " << index.describe()
                   << "; convert with `as int`";
        return std::nullopt;
      }
      diagnostic
          << "an index of a tile is `:`, `_`, a part `a:b` or a number that is "
             "known at compile time, got "
          << index.describe();
      if (index.is(Kind::Range))
        diagnostic << "; a tensor takes all its indices in one pair of "
                      "brackets, as in `x[m, n]`";
      else
        diagnostic << "; `sum(where("
                   << getPositionsAlong(axis, base.getShape())
                   << " == i, t, 0), axis = " << axis
                   << ")` selects an element at run time";
      return std::nullopt;
    }
    if (index.getInteger() >= 0 && index.getInteger() < extent)
      return Part{index.getInteger(), 1, /*isDropped=*/true};
    auto diagnostic = error(item.place);
    diagnostic << "the index " << index.getInteger() << " is outside of axis "
               << axis << " of " << base.describe();
    if (index.getInteger() < 0 && index.getInteger() >= -extent)
      diagnostic << "; positions count from the start: write "
                 << index.getInteger() + extent;
    return std::nullopt;
  }
  std::optional<int64_t> low = evaluate(item.low, 0, "the start of a part");
  std::optional<int64_t> high =
      evaluate(item.high, extent, "the end of a part");
  if (!low || !high)
    return std::nullopt;
  if (*low >= 0 && *low < *high && *high <= extent)
    return Part{*low, *high - *low, /*isDropped=*/false};
  error(item.place) << "the part `" << *low << ":" << *high
                    << "` is not in axis " << axis << " of " << base.describe()
                    << "; a part `a:b` has the positions from `a` to below `b`";
  return std::nullopt;
}

bool AccessGenerator::checkTileIndex(const IndexExpr &expr,
                                     const Entity &base) {
  size_t rank = base.getShape().size();
  for (const IndexItem &item : expr.items) {
    auto *name = dyn_cast_if_present<NameExpr>(item.value);
    if (!name || (name->name != "None" && name->name != "newaxis"))
      continue;
    error(item.place)
        << "`_` adds a dimension to a tile; write `_` instead of `"
        << name->name << "`";
    return false;
  }
  size_t kept = llvm::count_if(expr.items, [](const IndexItem &item) {
    return item.kind != IndexItem::Kind::NewDimension;
  });
  if (kept == rank)
    return true;
  if (rank == 2 && expr.items.size() == 1 && isValue(expr.items.front())) {
    auto *name = dyn_cast<NameExpr>(expr.base);
    error(expr.items.front().place)
        << "the index of a tile has one entry for each dimension; a row is "
           "written `"
        << (name ? name->name : "x[m, n]") << "[0, :]`";
    return false;
  }
  error(expr.place) << base.describe() << " has " << rank
                    << (rank == 1 ? " dimension" : " dimensions")
                    << ", but the index keeps " << kept
                    << "; write one `:` for each";
  return false;
}

Entity AccessGenerator::genTileIndexing(const IndexExpr &expr,
                                        const Entity &base) {
  if (!checkTileIndex(expr, base))
    return Entity();
  Value value = base.getValue();
  tile::IndexMap map;
  SmallVector<int64_t> shape;
  AxisNames names;
  bool takesPart = false;
  SmallVector<int64_t> rows = tile::getRowStrides(base.getShape());
  unsigned axis = 0;
  for (const IndexItem &item : expr.items) {
    if (item.kind == IndexItem::Kind::NewDimension) {
      shape.push_back(1);
      map.strides.push_back(0);
      names.push_back({});
      continue;
    }
    if (item.kind == IndexItem::Kind::Any) {
      error(item.place) << "`..` is not an index";
      return Entity();
    }
    Part part = {0, base.getShape()[axis], false};
    if (item.kind != IndexItem::Kind::Whole) {
      std::optional<Part> evaluated = evaluatePart(item, base, axis);
      if (!evaluated)
        return Entity();
      part = *evaluated;
      takesPart = true;
    }
    map.offset += part.first * rows[axis];
    if (!part.isDropped) {
      shape.push_back(part.extent);
      map.strides.push_back(rows[axis]);
      names.push_back(item.kind == IndexItem::Kind::Whole
                          ? base.getAxisName(axis)
                          : StringAttr());
    }
    ++axis;
  }
  Location loc = getLoc(expr.place);
  if (takesPart)
    return genRearranged(context, value, map, shape, expr.place)
        .withAxisNames(names);
  // Checks the rank first; the loop below adds one dimension at a time.
  if (!getTileType(shape, base.getElementType(), expr.place))
    return Entity();
  for (auto [axis, item] : llvm::enumerate(expr.items))
    if (item.kind == IndexItem::Kind::NewDimension)
      value = tile::ExpandDimsOp::create(builder, loc, value, axis);
  return Entity::runtime(value).withAxisNames(names);
}

//===----------------------------------------------------------------------===//
// Tensors in global memory
//===----------------------------------------------------------------------===//

/// Returns the size of a dimension as written in the source.
static std::string printSize(tile::SizeAttr size) {
  std::string text = "`";
  llvm::raw_string_ostream os(text);
  size.printExpression(os);
  return text + "`";
}

/// Checks whether an index is `_`, or its word in NumPy.
static bool addsDimension(const IndexItem &item) {
  auto *name = dyn_cast_if_present<NameExpr>(item.value);
  return item.kind == IndexItem::Kind::NewDimension ||
         (name && (name->name == "None" || name->name == "newaxis"));
}

/// Returns an access with `rank` indices: the names that `expr` has, and `:`.
static std::string printWholeAccess(const IndexExpr &expr, size_t rank) {
  auto *base = dyn_cast<NameExpr>(expr.base);
  std::string text = (base ? base->name : StringRef("x")).str() + "[";
  for (size_t dim = 0; dim < rank; ++dim) {
    const Expr *index =
        dim < expr.items.size() ? expr.items[dim].value : nullptr;
    auto *name = dyn_cast_if_present<NameExpr>(index);
    text += dim ? ", " : "";
    text += name ? name->name.str() : index ? "…" : ":";
  }
  return text + "]";
}

bool AccessGenerator::checkUse(const Access &access, Access::Use use) {
  tile::GlobalType type = cast<tile::GlobalType>(access.global.getType());
  StringRef problem;
  if (use == Access::Use::Read && !type.isReadable())
    problem = " is `out` and cannot be read; declare it `inout`";
  else if (use == Access::Use::Write && !type.isWritable())
    problem = " is `in` and cannot be written; declare it `out` or `inout`";
  else if (use == Access::Use::Replace &&
           type.getAccess() != tile::Access::InOut)
    problem = " is not `inout`, which atomic operations need since they read "
              "and write";
  if (problem.empty())
    return true;
  auto diagnostic = error(access.place);
  diagnostic << access.name << problem;
  const Parameter *parameter = context.findParameter(access.global);
  // `out: f32[N]` declares a parameter with the name `out`.
  if (parameter && parameter->name.text == "out")
    diagnostic << ", as in `out y: f32[N]`";
  if (parameter)
    note(diagnostic, parameter->name.place) << "the tensor is declared here";
  return false;
}

std::optional<Access> AccessGenerator::genAccess(const IndexExpr &expr,
                                                 Access::Use use) {
  if (reportSplitIndex(expr))
    return std::nullopt;
  Entity base = walk.genExpr(expr.base);
  if (base.isError())
    return std::nullopt;
  if (!base.is(Kind::Global)) {
    error(expr.place) << "expected elements `x[…]` of a tensor in global "
                         "memory, got "
                      << base.describe();
    return std::nullopt;
  }
  return genAccess(expr, base, use);
}

std::optional<Access> AccessGenerator::genAccess(const IndexExpr &expr,
                                                 const Entity &base,
                                                 Access::Use use) {
  Access access;
  access.global = base.getValue();
  access.place = expr.place;
  access.name = "the tensor";
  if (const Parameter *parameter = context.findParameter(access.global))
    access.name = ("`" + parameter->name.text + "`").str();
  if (!checkUse(access, use))
    return std::nullopt;
  tile::GlobalType type = base.getGlobalType();
  size_t rank = type.getRank();
  if (expr.items.size() != rank) {
    auto diagnostic = error(expr.place);
    diagnostic << access.name << " has " << rank
               << (rank == 1 ? " dimension" : " dimensions") << ", got "
               << expr.items.size()
               << (expr.items.size() == 1 ? " index" : " indices");
    if (expr.items.size() < rank)
      diagnostic << "; each dimension has an index, and `:` is a whole one, as "
                    "in `"
                 << printWholeAccess(expr, rank) << "`";
    else if (llvm::any_of(expr.items, addsDimension))
      diagnostic << "; `_` adds a dimension to a loaded tile, as in "
                    "`x[n][_, :]`";
    return std::nullopt;
  }
  SmallVector<int64_t> shape;
  bool valid = true, isPaired = false;
  SmallVector<int64_t> axes;
  ArrayRef<IndexItem> items = expr.items;
  for (size_t dim = 0; dim < rank;) {
    size_t before = shape.size(), end = dim + 1;
    unsigned list = items[dim].list;
    while (list && end < rank && items[end].list == list)
      ++end;
    if (list) {
      isPaired = true;
      valid &= genPaired(items.slice(dim, end - dim), access, dim, shape);
    } else {
      Value index = genAccessIndex(items[dim], access, dim, shape);
      valid &= index != Value();
      access.indices.push_back(index);
    }
    if (valid)
      for (Value index : ArrayRef(access.indices).drop_front(dim))
        if (!index.getType().isIndex())
          axes.push_back(before);
    dim = end;
  }
  if (!valid)
    return std::nullopt;
  if (isPaired)
    access.axes = builder.getDenseI64ArrayAttr(axes);
  access.valueType = type.getDeclaredType();
  if (!shape.empty())
    access.valueType = getTileType(shape, type.getDeclaredType(), expr.place);
  if (!access.valueType)
    return std::nullopt;
  return access;
}

Value AccessGenerator::genAccessIndex(const IndexItem &item, Access &access,
                                      size_t dim,
                                      SmallVectorImpl<int64_t> &shape) {
  auto type = cast<tile::GlobalType>(access.global.getType());
  tile::SizeAttr size = type.getShape()[dim];
  std::optional<int64_t> extent = size.getConstantValue();
  if (item.kind == IndexItem::Kind::Whole) {
    if (!extent) {
      auto diagnostic = error(item.place);
      diagnostic << "`:` takes a whole dimension, whose extent must be known "
                    "at compile time; dimension "
                 << dim << " of " << access.name << " is " << printSize(size)
                 << "; walk it with `for … in tiles(…)`";
      if (StringAttr name = size.getSingleSymbol())
        diagnostic << ", or declare `" << name.getValue()
                   << ": int` in `<…>` after the name of the kernel";
      return {};
    }
    if (!getTileType(*extent, builder.getI32Type(), item.place))
      return {};
    shape.push_back(*extent);
    access.axisNames.push_back({});
    return values.getWholeRange(*extent, item.place);
  }
  if (item.kind == IndexItem::Kind::Part) {
    error(item.place)
        << "an index of a tensor is a range, a number or `:`; a part of a "
           "dimension is a range, as in `let p = tile(0, 64, 64);`, and `a:b` "
           "takes a part of a tile";
    return {};
  }
  if (item.kind != IndexItem::Kind::Value) {
    error(item.place) << (item.kind == IndexItem::Kind::NewDimension
                              ? "`_` adds a dimension to a tile; load the tile "
                                "first: `x[…][:, _]`"
                              : "`..` is not an index");
    return {};
  }

  Entity index = walk.genExpr(item.value);
  if (index.is(Kind::Range)) {
    if (!checkDimension(item, access, dim, index.getRangeType()))
      return {};
    shape.push_back(index.getRangeType().getExtent());
    access.axisNames.push_back(index.getRangeType().getDimension());
    return index.getValue();
  }
  if (index.is(Kind::Tile)) {
    Entity positions = conversions.toPositions(index, item.place);
    if (positions.isError())
      return {};
    llvm::append_range(shape, positions.getShape());
    access.axisNames.append(positions.getShape().size(), StringAttr());
    return positions.getValue();
  }
  return genPosition(index, item, access, dim);
}

Value AccessGenerator::genPosition(const Entity &index, const IndexItem &item,
                                   const Access &access, size_t dim) {
  auto type = cast<tile::GlobalType>(access.global.getType());
  tile::SizeAttr size = type.getShape()[dim];
  std::optional<int64_t> extent = size.getConstantValue();
  if (index.is(Kind::Integer) &&
      (index.getInteger() < 0 || (extent && index.getInteger() >= *extent))) {
    error(item.place) << "the index " << index.getInteger()
                      << " is outside of dimension " << dim << " of "
                      << access.name << ", which is " << printSize(size);
    return {};
  }
  Value position = conversions.toIndex(index, item.place, "an index");
  if (position)
    warnOfOtherDimension(context, position, *item.value, access.name, dim,
                         size);
  return position;
}

bool AccessGenerator::genPaired(ArrayRef<IndexItem> items, Access &access,
                                size_t dim, SmallVectorImpl<int64_t> &shape) {
  SourcePlace place = items.front().place;
  SmallVector<Entity> tiles;
  /// By dimension: its position, or null for the next one of `tiles`.
  SmallVector<Value> positions;
  bool isValid = true;
  for (auto [i, item] : llvm::enumerate(items)) {
    Entity index = walk.genExpr(item.value);
    if (index.is(Kind::Range)) {
      tile::RangeType range = index.getRangeType();
      isValid &= checkDimension(item, access, dim + i, range);
      Value all = tile::IndicesOp::create(builder, getLoc(item.place),
                                          index.getValue());
      index = Entity::runtime(all).withAxisNames({range.getDimension()});
    }
    if (index.is(Kind::Tile)) {
      index = conversions.toPositions(index, item.place);
      tiles.push_back(index);
      positions.push_back({});
    } else {
      positions.push_back(genPosition(index, item, access, dim + i));
      isValid &= positions.back() != Value();
    }
    isValid &= !index.isError();
  }
  if (!isValid)
    return false;
  if (tiles.empty()) {
    error(place) << "a list of positions pairs ranges and tiles, got integers "
                    "only; write them without parentheses";
    return false;
  }
  std::optional<SmallVector<int64_t>> common;
  AxisNames names;
  if (!findCommonShape(context, tiles, place, "paired positions", common,
                       "; without the inner parentheses, as in `x[i, j]`, an "
                       "access has all combinations") ||
      !joinAxisNames(context, tiles, place, "paired positions", names))
    return false;
  const Entity *tile = tiles.begin();
  for (auto [position, item] : llvm::zip_equal(positions, items)) {
    access.indices.push_back(
        position ? position
                 : conversions.materialize(*tile++, builder.getI32Type(),
                                           ArrayRef(*common), item.place));
    isValid &= access.indices.back() != Value();
  }
  llvm::append_range(shape, *common);
  llvm::append_range(access.axisNames, names);
  return isValid;
}

bool AccessGenerator::checkDimension(const IndexItem &item,
                                     const Access &access, size_t dim,
                                     tile::RangeType range) {
  StringAttr walked = range.getDimension();
  auto type = cast<tile::GlobalType>(access.global.getType());
  tile::SizeAttr size = type.getShape()[dim];
  if (!walked || size.getSingleSymbol() == walked)
    return true;
  auto *name = dyn_cast_if_present<NameExpr>(item.value);
  auto diagnostic = error(item.place);
  diagnostic << (name ? ("range `" + name->name + "`").str() : "this range")
             << " walks `" << walked.getValue() << "`, but dimension " << dim
             << " of " << access.name << " is " << printSize(size);
  if (Symbol *symbol = name ? scopes.lookup(name->name) : nullptr)
    note(diagnostic, symbol->place)
        << "`" << name->name << "` is declared here to walk `"
        << walked.getValue() << "`";
  note(diagnostic, item.place)
      << "use a range over " << printSize(size)
      << ", or, if the positions are meant, a shifted range such as `0 + "
      << (name ? name->name : "m") << "`, which may index any dimension";
  return false;
}
