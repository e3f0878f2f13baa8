//===- TreeWalk.cpp - Expressions of an expected kind -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates an expression and checks its kind: an operand, an index, a type, or
// a value known at compile time.
//
//===----------------------------------------------------------------------===//

#include "TreeWalk.h"
#include "Expressions/Conversions.h"

#include "tessera/Frontend/Vocabulary.h"

using namespace tessera;
using namespace tessera::frontend;

void TreeWalk::genStatements(const StmtList &statements) {
  for (const Stmt *stmt : statements) {
    if (context.hasTooManyErrors())
      return;
    genStatement(stmt);
  }
}

Entity TreeWalk::genOperand(const Expr *expr, StringRef what) {
  Entity entity = genExpr(expr);
  return conversions.checkOperand(entity, expr->place, what) ? entity
                                                             : Entity();
}

Value TreeWalk::genIndex(const Expr *expr, StringRef what) {
  return conversions.toIndex(genExpr(expr), expr->place, what);
}

Type TreeWalk::evaluateTypeName(const NameExpr &name) {
  if (Type type = lookupTypeName(builder.getContext(), name.name))
    return type;
  if (Symbol *symbol = scopes.lookup(name.name)) {
    if (symbol->entity.is(Kind::Type))
      return symbol->entity.getTypeValue();
    if (symbol->entity.isError())
      return {};
    auto diagnostic = error(name.place);
    diagnostic << "expected a type, got `" << name.name << "`";
    context.noteDeclaration(diagnostic, *symbol);
    return {};
  }
  auto diagnostic = context.unknownName(name.place, name.name);
  diagnostic << "unknown type `" << name.name << "`";
  if (StringRef hint = findForeignName(name.name); !hint.empty()) {
    diagnostic << "; " << hint;
    return {};
  }
  SmallVector<StringRef> names = scopes.getNames();
  llvm::copy_if(getTypeNames(), std::back_inserter(names), [&](StringRef type) {
    return lookupTypeName(builder.getContext(), type) != nullptr;
  });
  std::string nearest = askForName(name.name, names);
  diagnostic << nearest;
  if (nearest.empty() && llvm::isUpper(name.name.front()))
    diagnostic << "; a type that varies is a compile-time parameter, as in "
                  "`kernel k<"
               << name.name << ": type = f16>(…)`";
  return {};
}

Type TreeWalk::evaluateType(const Expr *expr) {
  if (auto *name = dyn_cast<NameExpr>(expr))
    return evaluateTypeName(*name);
  if (auto *index = dyn_cast<IndexExpr>(expr))
    return evaluateTileType(*index);
  auto diagnostic = error(expr->place);
  diagnostic << "expected a type";
  if (isa<IfExpr>(expr))
    diagnostic << "; a compile-time parameter chooses one, such as "
                  "`T: type = if B { f16 } else { f32 }`";
  return {};
}

bool TreeWalk::checkElementType(Type type, SourcePlace place) {
  if (tile::isElementType(tile::withoutSign(type)))
    return true;
  auto diagnostic = error(place);
  diagnostic << "`" << printType(type) << "` is not an element type";
  if (type.isIndex())
    diagnostic << "; elements are `i32` or `i64`";
  if (type.isTF32())
    diagnostic << "; a tile of `f32` becomes an operand of `@` by `as tf32`";
  return false;
}

Type TreeWalk::evaluateElementType(const Expr *expr) {
  Type type = evaluateType(expr);
  return type && checkElementType(type, expr->place) ? type : Type();
}

Type TreeWalk::evaluateTileType(const IndexExpr &index) {
  Type element = evaluateElementType(index.base);
  if (!element)
    return {};
  SmallVector<int64_t> shape;
  for (const IndexItem &item : index.items) {
    if (item.kind != IndexItem::Kind::Value) {
      error(item.place)
          << (item.kind == IndexItem::Kind::Any
                  ? "`[..]` stands for any shape in a parameter of a fn; here "
                    "the extents are needed"
                  : "the extent of a tile is an `int` known at compile time");
      return {};
    }
    std::optional<int64_t> extent =
        evaluateInteger(item.value, "the extent of a tile");
    if (!extent)
      return {};
    shape.push_back(*extent);
  }
  if (shape.empty()) {
    error(index.place) << "a tile has at least one dimension; a scalar is `"
                       << printType(element) << "`";
    return {};
  }
  return getTileType(shape, element, index.place);
}

std::optional<int64_t> TreeWalk::evaluateInteger(const Expr *expr,
                                                 StringRef what) {
  Entity entity = genExpr(expr);
  if (entity.is(Kind::Integer))
    return entity.getInteger();
  if (entity.isError())
    return std::nullopt;
  if (entity.is(Kind::Scalar) &&
      isa<IntegerType, IndexType>(entity.getValue().getType()))
    error(expr->place) << what << " must be known at compile time; this `"
                       << printType(entity.getValue().getType())
                       << "` is known at run time only; make it a "
                          "compile-time parameter, as in `kernel k<B: int = "
                          "64>(…)`";
  else
    error(expr->place) << what << " is an `int` known at compile time, got "
                       << entity.describe()
                       << (entity.is(Kind::Float) ? "; convert with `as int`"
                                                  : "");
  return std::nullopt;
}

std::optional<bool> TreeWalk::evaluateBool(const Expr *expr, StringRef what,
                                           StringRef hint) {
  Entity entity = genExpr(expr);
  if (entity.is(Kind::Bool))
    return entity.getBool();
  if (!entity.isError())
    error(expr->place) << what << " is a `bool` known at compile time, got "
                       << entity.describe()
                       << (entity.is(Kind::Scalar) ? ", known at run time only"
                                                   : "")
                       << hint;
  return std::nullopt;
}

bool TreeWalk::checkTilesOrder(const Expr *size, const Expr *extent) {
  auto *number = dyn_cast<IntegerExpr>(size);
  auto *name = dyn_cast<NameExpr>(extent);
  const KernelSignature &signature = context.signature;
  if (!number || !name ||
      (!signature.sizePlaces.contains(name->name) &&
       !signature.scalarParameters.contains(name->name)))
    return true;
  error(extent->place) << "`tiles` takes the size first, and then the extent "
                          "of a tile: write `tiles("
                       << name->name << ", " << number->value << ")`";
  return false;
}

tile::RangeType TreeWalk::evaluateRangeType(Value limit,
                                            const Expr *extentExpr) {
  std::optional<int64_t> extent =
      evaluateInteger(extentExpr, "the extent of a tile");
  if (!limit || !extent ||
      !getTileType(*extent, builder.getI32Type(), extentExpr->place))
    return {};
  StringAttr dimension;
  if (auto size = limit.getDefiningOp<tile::SizeOp>())
    dimension = size.getSize().getSingleSymbol();
  return tile::RangeType::get(builder.getContext(), *extent, dimension);
}
