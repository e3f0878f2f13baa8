//===- BodyGenerator.cpp - Dispatches to the generators ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over the syntax tree. The parser bounds the depth of a
// tree, but inlined fns multiply the depth, so this recursion has its own
// bound.
//
//===----------------------------------------------------------------------===//

#include "BodyGenerator.h"

using namespace tessera;
using namespace tessera::frontend;

BodyGenerator::BodyGenerator(KernelContext &context, EntryValues &values,
                             Conversions &conversions)
    : TreeWalk(context, conversions), operators(context, values, conversions),
      products(context, *this, values, conversions, operators),
      accesses(context, *this, values, conversions),
      expressions(context, *this, values, conversions, operators, products),
      builtins(context, *this, values, conversions, operators, accesses),
      calls(context, *this, conversions, builtins),
      branches(context, *this, conversions),
      loops(context, *this, values, conversions),
      statements(context, *this, values, conversions, operators, products,
                 accesses) {}

BodyGenerator::Depth::Depth(BodyGenerator &generator, SourcePlace place)
    : generator(generator) {
  if (++generator.depth <= maxDepth || generator.reportedDepth)
    return;
  generator.reportedDepth = true;
  generator.error(place) << "statements, expressions and calls are nested more "
                            "than "
                         << maxDepth << " levels deep here";
}

Entity BodyGenerator::genExpr(const Expr *expr) {
  Depth level(*this, expr->place);
  return level.isAllowed() ? dispatch(expr) : Entity();
}

Entity BodyGenerator::genValues(const Expr *expr) {
  Depth level(*this, expr->place);
  if (!level.isAllowed())
    return Entity();
  auto *call = dyn_cast<CallExpr>(expr);
  return call ? calls.genValues(*call) : dispatch(expr);
}

Entity BodyGenerator::genInlined(const FnDecl &fn, ArrayRef<Entity> arguments,
                                 SourcePlace place) {
  return calls.genInlined(
      fn, arguments, SmallVector<SourcePlace>(arguments.size(), place), place);
}

Entity BodyGenerator::dispatch(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Integer:
    return Entity::integer(cast<IntegerExpr>(expr)->value);
  case ExprKind::Unsigned:
    return expressions.genUnsigned(*cast<UnsignedExpr>(expr));
  case ExprKind::Float:
    return Entity::floating(cast<FloatExpr>(expr)->value);
  case ExprKind::Bool:
    return Entity::boolean(cast<BoolExpr>(expr)->value);
  case ExprKind::String:
    error(expr->place) << "a string is not a value";
    return Entity();
  case ExprKind::Name:
    return expressions.genName(*cast<NameExpr>(expr));
  case ExprKind::Unary:
    return expressions.genUnary(*cast<UnaryExpr>(expr));
  case ExprKind::Binary:
    return expressions.genBinary(*cast<BinaryExpr>(expr));
  case ExprKind::Cast:
    return expressions.genCast(*cast<CastExpr>(expr));
  case ExprKind::Index:
    return accesses.genIndexing(*cast<IndexExpr>(expr));
  case ExprKind::Member:
    return expressions.genMember(*cast<MemberExpr>(expr));
  case ExprKind::Call:
    return calls.genValueCall(*cast<CallExpr>(expr));
  case ExprKind::If:
    return branches.genIfExpr(*cast<IfExpr>(expr));
  }
  return Entity();
}

void BodyGenerator::genStatement(const Stmt *stmt) {
  Depth level(*this, stmt->place);
  if (!level.isAllowed())
    return;
  switch (stmt->kind) {
  case StmtKind::Declare:
    return statements.genDeclare(*cast<DeclareStmt>(stmt));
  case StmtKind::Assign:
    return statements.genAssign(*cast<AssignStmt>(stmt));
  case StmtKind::For:
    return loops.genFor(*cast<ForStmt>(stmt));
  case StmtKind::Break:
    error(stmt->place) << "`break` ends a loop, and there is none around it";
    return;
  case StmtKind::If:
    return branches.genIf(*cast<IfStmt>(stmt));
  case StmtKind::Assert:
    return statements.genAssert(*cast<AssertStmt>(stmt));
  case StmtKind::Check:
    return statements.genCheck(*cast<CheckStmt>(stmt));
  case StmtKind::Call:
    return calls.genCallStatement(*cast<CallExpr>(cast<CallStmt>(stmt)->call));
  case StmtKind::Return:
    return statements.genReturn(cast<ReturnStmt>(*stmt));
  }
}
