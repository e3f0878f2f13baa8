//===- BranchGenerator.cpp - `if` as statement and expression ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A known condition selects its branch at compile time; the other branch is not
// even checked. A run-time condition becomes an `scf.if`. Both branches are
// generated into regions first, which shows the `var`s that they change. These
// `var`s become results, like phi nodes of SSA construction. A `var` that both
// branches set to one value needs no result.
//
//===----------------------------------------------------------------------===//

#include "BranchGenerator.h"
#include "Expressions/Shapes.h"

using namespace tessera;
using namespace tessera::frontend;

Entity BranchGenerator::genCondition(const Expr *expr, StringRef statement) {
  Entity condition = walk.genExpr(expr);
  if (condition.isError() || condition.is(Kind::Bool))
    return condition;
  if (condition.is(Kind::Scalar) && condition.getElementType().isInteger(1))
    return condition;
  auto diagnostic = error(expr->place);
  diagnostic << "the condition of " << statement << " is a scalar `bool`, got "
             << condition.describe();
  if (condition.is(Kind::Tile) && condition.getElementType().isInteger(1))
    diagnostic << (statement == "a `while`"
                       ? "; `any(c, axis = 0)` and `all(c, axis = 0)` combine "
                         "elements"
                       : "; `where(c, a, b)` chooses element by element");
  else if (condition.isNumber() || condition.is(Kind::Scalar))
    diagnostic << "; compare it, as in `N != 0`";
  return Entity();
}

void BranchGenerator::genBody(const StmtList &body) {
  scopes.pushScope();
  walk.genStatements(body);
  scopes.popScope();
}

void BranchGenerator::genIf(const IfStmt &stmt) {
  Entity condition =
      genCondition(stmt.condition, stmt.isWhile ? "a `while`" : "an `if`");
  if (condition.isError())
    return;
  if (condition.is(Kind::Bool))
    return genBody(condition.getBool() ? stmt.thenBody : stmt.elseBody);

  Location loc = getLoc(stmt.place);
  Scopes::VarState before = scopes.saveVars();
  Region regions[2];
  Scopes::VarState after[2];
  for (auto [region, state, body] :
       {std::tie(regions[0], after[0], stmt.thenBody),
        std::tie(regions[1], after[1], stmt.elseBody)}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    genBody(body);
    state = scopes.saveVars();
    Scopes::restoreVars(before);
  }

  SmallVector<Symbol *> changed;
  SmallVector<Type> types;
  SmallVector<Value> yields[2];
  for (auto [i, entry] : llvm::enumerate(before)) {
    const Entity &thenEntity = after[0][i].second;
    const Entity &elseEntity = after[1][i].second;
    if (entry.second.isError())
      continue;
    if (thenEntity.getValue() == elseEntity.getValue()) {
      // Both branches yield the same value, which is defined before the `if`.
      entry.first->entity = thenEntity;
      continue;
    }
    changed.push_back(entry.first);
    types.push_back(entry.second.getValue().getType());
    yields[0].push_back(thenEntity.getValue());
    yields[1].push_back(elseEntity.getValue());
  }
  bool hasElse = !changed.empty() || !stmt.elseBody.empty();
  auto ifOp = scf::IfOp::create(builder, loc, types, condition.getValue(),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (unsigned i = 0; i < (hasElse ? 2 : 1); ++i) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&regions[i].front());
    scf::YieldOp::create(builder, loc, yields[i]);
    (i ? ifOp.getElseRegion() : ifOp.getThenRegion()).takeBody(regions[i]);
  }
  for (auto [var, result] : llvm::zip_equal(changed, ifOp.getResults()))
    var->entity = Entity::runtime(result);
}

Entity BranchGenerator::genValueBlock(const ValueBlock &block) {
  scopes.pushScope();
  for (const Stmt *let : block.lets)
    walk.genStatement(let);
  Entity value = walk.genExpr(block.value);
  scopes.popScope();
  return value;
}

Entity BranchGenerator::genIfExpr(const IfExpr &expr) {
  Entity condition = genCondition(expr.condition);
  if (condition.isError())
    return Entity();
  if (condition.is(Kind::Bool))
    return genValueBlock(condition.getBool() ? expr.thenBlock : expr.elseBlock);

  Region regions[2];
  SmallVector<Entity, 2> values;
  for (auto [region, block] : {std::tie(regions[0], expr.thenBlock),
                               std::tie(regions[1], expr.elseBlock)}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    values.push_back(genValueBlock(block));
  }
  if (values[0].isError() || values[1].isError())
    return Entity();
  for (const Entity &value : values) {
    if (value.isOperand())
      continue;
    error(expr.place) << "an `if` on a run-time condition chooses between "
                         "scalars or tiles, got "
                      << value.describe();
    return Entity();
  }
  std::optional<SmallVector<int64_t>> shape;
  if (!findCommonShape(context, values, expr.place, "`if`", shape))
    return Entity();
  Type element = conversions.findCommonElement(values, expr.place, "`if`",
                                               shape.has_value());
  if (!element)
    return Entity();

  Location loc = getLoc(expr.place);
  std::optional<ArrayRef<int64_t>> target;
  if (shape)
    target = *shape;
  Type type;
  for (unsigned i = 0; i < 2; ++i) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&regions[i].front());
    Value value =
        conversions.materialize(values[i], element, target, expr.place);
    if (!value)
      return Entity();
    type = value.getType();
    scf::YieldOp::create(builder, loc, value);
  }
  auto ifOp = scf::IfOp::create(builder, loc, type, condition.getValue(),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  ifOp.getThenRegion().takeBody(regions[0]);
  ifOp.getElseRegion().takeBody(regions[1]);
  // An axis keeps a name that both branches agree on.
  Entity result = Entity::runtime(ifOp.getResult(0));
  AxisNames names;
  for (unsigned axis = 0, e = result.getShape().size(); axis != e; ++axis) {
    StringAttr name = values[0].getAxisName(axis);
    names.push_back(name == values[1].getAxisName(axis) ? name : StringAttr());
  }
  return result.withAxisNames(names);
}
