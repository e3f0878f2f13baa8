//===- LoopGenerator.cpp - `for` over tiles and integers --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for n in tiles(N, 64) { … }
//
// becomes
//
//   scf.for %i = %c0 to %N step %c64 iter_args(…) {
//     %n = tile.range %i to %N : !tile.range<64 of N>
//     …
//   }
//
// SSA construction: each visible `var` enters the body as a block argument.
// Arguments of unchanged `var`s are removed before the loop is created.
//
//===----------------------------------------------------------------------===//

#include "LoopGenerator.h"
#include "Functions/Arguments.h"
#include "Warnings/Warnings.h"
#include "tessera/Dialect/Tile/Analysis/PositionBounds.h"

using namespace tessera;
using namespace tessera::frontend;

//===----------------------------------------------------------------------===//
// Domains of loops
//===----------------------------------------------------------------------===//

bool LoopGenerator::genLoopDomain(const ForStmt &stmt, LoopDomain &domain) {
  auto *call = dyn_cast<CallExpr>(stmt.domain);
  if (call && call->callee.text == "tiles")
    return genTilesDomain(*call, domain);
  if (call && call->callee.text == "range")
    return genRangeDomain(*call, domain);
  error(stmt.domain->place)
      << "a `for` walks `tiles(size, extent)` or `range(low, high)`";
  return false;
}

bool LoopGenerator::genTilesDomain(const CallExpr &call, LoopDomain &domain) {
  // The parameters depend on the number of positional arguments: two, with an
  // optional part, or three.
  size_t positional =
      llvm::count_if(call.arguments, [](const Argument &argument) {
        return argument.name.text.empty();
      });
  SmallVector<const Argument *> arguments;
  SmallVector<StringRef> parameters = {"size", "extent", "part"};
  if (positional > 2)
    parameters = {"low", "high", "extent"};
  if (!matchArguments(context, call, parameters, positional > 2 ? 3 : 2,
                      arguments))
    return false;
  const Argument *part = positional > 2 ? nullptr : arguments[2];
  const Expr *extentExpr = arguments[positional > 2 ? 2 : 1]->value;
  const Expr *limitExpr = arguments[positional > 2 ? 1 : 0]->value;

  if (positional <= 2 && !walk.checkTilesOrder(limitExpr, extentExpr))
    return false;
  Value lower = positional > 2 ? walk.genIndex(arguments[0]->value,
                                               "the first position of `tiles`")
                               : values.getIndexConstant(0, call.place);
  Value limit = walk.genIndex(limitExpr, "the size of `tiles`");
  tile::RangeType type = walk.evaluateRangeType(limit, extentExpr);
  if (!lower || !type)
    return false;
  domain.lower = lower;
  domain.limit = limit;
  domain.upper = genLoopEnd(limit, type.getExtent(), call.place);
  domain.step = type.getExtent();
  domain.rangeType = type;
  return !part || genPart(*part, domain);
}

bool LoopGenerator::genPart(const Argument &part, LoopDomain &domain) {
  if (!part.whole) {
    error(part.name.place) << "a part is given as `part = s of S`";
    return false;
  }
  Value index = walk.genIndex(part.value, "the number of a part");
  Entity parts = walk.genExpr(part.whole);
  if (parts.is(Kind::Integer) && parts.getInteger() < 1) {
    error(part.whole->place) << "the number of parts is " << parts.getInteger()
                             << ", expected at least 1";
    return false;
  }
  Value count =
      conversions.toIndex(parts, part.whole->place, "the number of parts");
  if (!index || !count)
    return false;
  restrictToPart(domain, index, count, part.name.place);
  return true;
}

/// Clips the end of a loop over tiles, so that its next position fits in 32
/// bits. No tensor is larger.
Value LoopGenerator::genLoopEnd(Value limit, int64_t extent,
                                SourcePlace place) {
  int64_t last = (int64_t(1) << 31) - extent;
  if (tile::PositionBounds().get(limit).high <= last)
    return limit;
  return arith::MinSIOp::create(builder, getLoc(place), limit,
                                values.getIndexConstant(last, place));
}

void LoopGenerator::restrictToPart(LoopDomain &domain, Value part, Value parts,
                                   SourcePlace place) {
  // Of the T tiles, numbers T*s/S to T*(s+1)/S.
  Location loc = getLoc(place);
  Value extent = values.getIndexConstant(domain.step, place);
  Value one = values.getIndexConstant(1, place);
  Value tiles = arith::CeilDivSIOp::create(builder, loc, domain.limit, extent);
  auto getStart = [&](Value part) -> Value {
    Value scaled = arith::MulIOp::create(builder, loc, tiles, part);
    Value first = arith::FloorDivSIOp::create(builder, loc, scaled, parts);
    return arith::MulIOp::create(builder, loc, first, extent);
  };
  domain.lower = getStart(part);
  // The last part ends at the limit; the last tile may be partial.
  Value end = getStart(arith::AddIOp::create(builder, loc, part, one));
  domain.upper =
      genLoopEnd(arith::MinSIOp::create(builder, loc, end, domain.limit),
                 domain.step, place);
}

bool LoopGenerator::genRangeDomain(const CallExpr &call, LoopDomain &domain) {
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, {"low", "high", "step"}, 2, arguments))
    return false;
  domain.lower =
      walk.genIndex(arguments[0]->value, "the first value of `range`");
  domain.upper = walk.genIndex(arguments[1]->value, "the end of `range`");
  if (!domain.lower || !domain.upper)
    return false;
  if (!arguments[2])
    return true;
  const Expr *step = arguments[2]->value;
  std::optional<int64_t> value =
      walk.evaluateInteger(step, "the step of `range`");
  if (!value)
    return false;
  if (*value < 1 || *value > tile::kMaxTileElements) {
    auto diagnostic = error(step->place);
    diagnostic << "the step of `range` is " << *value
               << ", expected at least 1 and at most "
               << tile::kMaxTileElements;
    if (*value < 0)
      diagnostic << "; `high - 1 - i` counts down, with `i in range(0, high)`";
    return false;
  }
  domain.step = *value;
  return true;
}

bool LoopGenerator::genEndless(const ForStmt &stmt, LoopDomain &domain) {
  // A condition ends the loop long before 2^63 iterations.
  Location loc = getLoc(stmt.place);
  domain.lower = arith::ConstantIntOp::create(builder, loc, 0, 64);
  domain.upper = arith::ConstantIntOp::create(
      builder, loc, std::numeric_limits<int64_t>::max(), 64);
  return true;
}

bool LoopGenerator::checkEnd(const ForStmt &stmt, ArrayRef<Symbol *> vars,
                             ArrayRef<Value> yields, Block &body) {
  for (auto [number, var] : llvm::enumerate(vars))
    if (var->name == stmt.runs &&
        yields[number] != body.getArgument(number + 1)) {
      warnOfEndlessLoop(context, stmt.place, body, yields, number);
      return true;
    }
  error(stmt.place)
      << "this loop never ends: its condition is always true, and "
         "there is no `break`";
  return false;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

void LoopGenerator::genFor(const ForStmt &stmt) {
  if (stmt.runs.empty())
    return genLoop(stmt);
  scopes.pushScope();
  Value runs = values.getNumber(Entity::boolean(true), builder.getI1Type(),
                                std::nullopt, stmt.place);
  // An editor does not show the name.
  scopes.declare(
      {Symbol::Kind::Var, stmt.runs, stmt.place, Entity::runtime(runs)});
  genLoop(stmt);
  scopes.popScope();
}

void LoopGenerator::genLoop(const ForStmt &stmt) {
  LoopDomain domain;
  bool valid =
      stmt.domain ? genLoopDomain(stmt, domain) : genEndless(stmt, domain);
  Location loc = getLoc(stmt.place);
  unsigned errors = context.getNumErrors();
  Scopes::VarState before = scopes.saveVars();

  Region region;
  Block &body = region.emplaceBlock();
  Value position =
      body.addArgument(valid ? domain.lower.getType() : builder.getIndexType(),
                       getLoc(stmt.domain ? stmt.name.place : stmt.place));
  SmallVector<Symbol *> vars;
  SmallVector<Value> inits;
  for (const auto &[var, entity] : before) {
    if (entity.isError())
      continue;
    vars.push_back(var);
    inits.push_back(entity.getValue());
    var->entity = Entity::runtime(
        body.addArgument(entity.getValue().getType(), getLoc(var->place)));
  }

  scopes.pushScope();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    Entity entity;
    if (valid && domain.rangeType)
      entity = Entity::runtime(tile::RangeOp::create(
          builder, getLoc(stmt.name.place), domain.rangeType, position,
          domain.limit, /*full=*/false));
    else if (valid)
      entity = Entity::runtime(position);
    if (stmt.domain)
      context.declare(Symbol::Kind::Loop, stmt.name, entity);
    walk.genStatements(stmt.body);
  }
  scopes.popScope();

  // Removes the variables that the body does not change.
  SmallVector<Value> yields;
  for (Symbol *var : vars)
    yields.push_back(var->entity.getValue());
  Scopes::restoreVars(before);
  // After an error, the end of a `while` may be missing.
  valid &= stmt.domain ||
           (errors == context.getNumErrors() && !context.hasFailedAssertion());
  if (!valid)
    return;
  if (!stmt.domain && !checkEnd(stmt, vars, yields, body))
    return;
  for (size_t i = vars.size(); i-- > 0;) {
    BlockArgument argument = body.getArgument(i + 1);
    if (yields[i] != argument)
      continue;
    llvm::replace(yields, Value(argument), inits[i]);
    argument.replaceAllUsesWith(inits[i]);
    body.eraseArgument(i + 1);
    vars.erase(vars.begin() + i);
    inits.erase(inits.begin() + i);
    yields.erase(yields.begin() + i);
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body);
    scf::YieldOp::create(builder, loc, yields);
  }
  Value step = stmt.domain
                   ? values.getIndexConstant(domain.step, stmt.domain->place)
                   : arith::ConstantIntOp::create(builder, loc, 1, 64);
  auto loop =
      scf::ForOp::create(builder, loc, domain.lower, domain.upper, step, inits);
  loop.getRegion().takeBody(region);
  for (auto [var, result] : llvm::zip_equal(vars, loop.getResults()))
    var->entity = Entity::runtime(result);
}
