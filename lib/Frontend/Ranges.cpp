//===- Ranges.cpp - Shifts and members of ranges ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `m.start`, `m.index` and the like, and `s + m`.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"

using namespace tessera;
using namespace tessera::frontend;

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
