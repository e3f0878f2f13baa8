//===- Ranges.cpp - Shifts and members of ranges ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tile(low, high, 64)`, `m.start`, `m.index` and the like, and `s + m`. What
// `tile` makes once, a loop over `tiles` makes in each iteration.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"

using namespace tessera;
using namespace tessera::frontend;

tile::RangeType KernelGenerator::getRangeType(Value limit,
                                              const Expr *extentExpr) {
  std::optional<int64_t> extent =
      evaluateInteger(extentExpr, "the extent of a tile");
  if (!limit || !extent ||
      !getTileType(*extent, builder.getI32Type(), extentExpr->place))
    return {};
  StringAttr dimension;
  if (auto size = limit.getDefiningOp<tile::SizeOp>())
    dimension = size.getSize().getSingleSymbol();
  return tile::RangeType::get(context, *extent, dimension);
}

Entity KernelGenerator::genTileRange(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(call, {"low", "high", "extent"}, 3, arguments))
    return Entity();
  Value low = genIndex(arguments[0]->value, "the first position of `tile`");
  Value high = genIndex(arguments[1]->value, "the end of `tile`");
  tile::RangeType type = getRangeType(high, arguments[2]->value);
  if (!low || !type)
    return Entity();
  return Entity::runtime(tile::RangeOp::create(builder, getLoc(call.place),
                                               type, low, high,
                                               /*full=*/false));
}

Entity KernelGenerator::shiftRange(const Entity &range, const Entity &offset,
                                   SourcePlace place) {
  Value by = toIndex(offset, place, "what shifts a range");
  if (!by)
    return Entity();
  return Entity::runtime(
      tile::ShiftOp::create(builder, getLoc(place), range.getValue(), by));
}

Entity KernelGenerator::genRangeMember(const Entity &range,
                                       const MemberExpr &expr) {
  Location loc = getLoc(expr.name.place);
  Value value = range.getValue();
  Type index = builder.getIndexType();
  StringRef name = expr.name.text;
  if (name == "start")
    return Entity::runtime(tile::StartOp::create(builder, loc, index, value));
  if (name == "end")
    return Entity::runtime(tile::EndOp::create(builder, loc, index, value));
  if (name == "limit")
    return Entity::runtime(tile::LimitOp::create(builder, loc, index, value));
  StringAttr walked = range.getRangeType().getDimension();
  if (name == "index")
    return Entity::runtime(tile::IndicesOp::create(builder, loc, value))
        .withAxisNames({walked});
  if (name == "valid")
    return Entity::runtime(tile::ValidOp::create(builder, loc, value))
        .withAxisNames({walked});
  error(expr.name.place) << "a range has no member `" << name
                         << "`; it has `start`, `end`, `limit`, `index` and "
                            "`valid`";
  return Entity();
}
