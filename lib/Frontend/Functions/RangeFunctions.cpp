//===- RangeFunctions.cpp - tile, tiles, range ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tile(low, high, 64)` makes one range; a loop over `tiles` makes one in each
// iteration. `tiles` and `range` are no functions outside of loops and grids.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"

using namespace tessera;
using namespace tessera::frontend;

Entity BuiltinFunctions::genTileRange(const CallExpr &call) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"low", "high", "extent"}, 3, arguments))
    return Entity();
  Value low =
      walk.genIndex(arguments[0]->value, "the first position of `tile`");
  Value high = walk.genIndex(arguments[1]->value, "the end of `tile`");
  tile::RangeType type = walk.evaluateRangeType(high, arguments[2]->value);
  if (!low || !type)
    return Entity();
  return Entity::runtime(tile::RangeOp::create(builder, getLoc(call.place),
                                               type, low, high,
                                               /*full=*/false));
}

Entity BuiltinFunctions::genMisplacedDomain(const CallExpr &call) {
  error(call.place)
      << "`" << call.callee.text
      << (call.callee.text == "tiles"
              ? "` is allowed in a `grid` or after `for … in` only"
              : "` is allowed after `for … in` only");
  return Entity();
}
