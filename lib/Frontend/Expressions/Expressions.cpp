//===- Expressions.cpp - Names, members and dispatch ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry to expressions. The recursion is bounded here: trees are bounded by
// the parser, but fns that call fns stack them up.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"

using namespace tessera;
using namespace tessera::frontend;

KernelGenerator::Depth::Depth(KernelGenerator &generator, SourcePlace place)
    : generator(generator) {
  if (++generator.depth <= maxDepth || generator.reportedDepth)
    return;
  generator.reportedDepth = true;
  generator.error(place) << "statements, expressions and calls are nested more "
                            "than "
                         << maxDepth << " levels deep here";
}

Entity KernelGenerator::genExpr(const Expr *expr) {
  Depth level(*this, expr->place);
  return level.isAllowed() ? genExprUnchecked(expr) : Entity();
}

Entity KernelGenerator::genExprUnchecked(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Integer:
    return Entity::integer(cast<IntegerExpr>(expr)->value);
  case ExprKind::Float:
    return Entity::floating(cast<FloatExpr>(expr)->value);
  case ExprKind::Bool:
    return Entity::boolean(cast<BoolExpr>(expr)->value);
  case ExprKind::Name:
    return genName(*cast<NameExpr>(expr));
  case ExprKind::Unary:
    return genUnary(*cast<UnaryExpr>(expr));
  case ExprKind::Binary:
    return genBinary(*cast<BinaryExpr>(expr));
  case ExprKind::Cast:
    return genCast(*cast<CastExpr>(expr));
  case ExprKind::Index:
    return genIndexing(*cast<IndexExpr>(expr));
  case ExprKind::Member:
    return genMember(*cast<MemberExpr>(expr));
  case ExprKind::Call:
    return genValueCall(*cast<CallExpr>(expr));
  case ExprKind::If:
    return genIfExpr(*cast<IfExpr>(expr));
  }
  return Entity();
}

Entity KernelGenerator::genName(const NameExpr &expr) {
  if (Symbol *symbol = scopes.lookup(expr.name)) {
    // Sizes are generated when they are first used. The error entity of a size
    // means just that it was not.
    if (symbol->kind == Symbol::Kind::Size && symbol->entity.isError())
      symbol->entity = Entity::runtime(getSize(expr.name, expr.place));
    return symbol->entity;
  }
  if (Type type = lookupTypeName(context, expr.name))
    return Entity::typed(type);
  reportUnknownName(expr.place, expr.name);
  return Entity();
}

bool KernelGenerator::checkOperand(const Entity &entity, SourcePlace place,
                                   StringRef what) {
  if (entity.isError())
    return false;
  if (entity.isOperand())
    return true;
  auto diagnostic = error(place);
  diagnostic << entity.describe() << " cannot be an operand of " << what;
  if (entity.is(Kind::Global))
    diagnostic << "; load a tile of it by index: `x[…]`";
  else if (entity.is(Kind::Range))
    diagnostic << "; its positions are `.index`, its first one is `.start`";
  return false;
}

Entity KernelGenerator::genOperand(const Expr *expr, StringRef what) {
  Entity entity = genExpr(expr);
  return checkOperand(entity, expr->place, what) ? entity : Entity();
}

bool KernelGenerator::checkTile(const Entity &entity, SourcePlace place,
                                StringRef what) {
  if (entity.isError())
    return false;
  if (entity.is(Kind::Tile))
    return true;
  auto diagnostic = error(place);
  diagnostic << what << " is a tile, got " << entity.describe();
  if (entity.is(Kind::Global))
    diagnostic << "; load a tile of it by index: `x[…]`";
  return false;
}

Entity KernelGenerator::genMember(const MemberExpr &expr) {
  Entity base = genExpr(expr.base);
  if (base.isError())
    return Entity();
  if (base.is(Kind::Range))
    return genRangeMember(base, expr);
  if (expr.name.text != "T") {
    StringRef hint = findForeignName(expr.name.text);
    if (hint.empty() && base.is(Kind::Tile))
      hint = "a tile has `.T`, its transpose";
    error(expr.name.place) << base.describe() << " has no member `"
                           << expr.name.text << "`"
                           << (hint.empty() ? "" : "; ") << hint;
    return Entity();
  }
  if (!checkTile(base, expr.place, "the operand of `.T`"))
    return Entity();
  if (base.getShape().size() != 2) {
    error(expr.place) << "`.T` exchanges the dimensions of a tile that has "
                         "two, got "
                      << base.describe();
    return Entity();
  }
  Value value;
  if (auto transpose = base.getValue().getDefiningOp<tile::TransposeOp>())
    value = transpose.getSource();
  else
    value =
        tile::TransposeOp::create(builder, getLoc(expr.place), base.getValue());
  return Entity::runtime(value).withAxisNames(
      {base.getAxisName(1), base.getAxisName(0)});
}
