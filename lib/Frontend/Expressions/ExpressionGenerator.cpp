//===- ExpressionGenerator.cpp - Names, operators and members ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generates the operands of an expression from left to right, then the
// expression. `a && b` and `a || b` skip the right operand if the left one is
// known and decides the result. `c + a @ b` accumulates onto `c`.
//
//===----------------------------------------------------------------------===//

#include "ExpressionGenerator.h"
#include "Names/UnknownNames.h"

using namespace tessera;
using namespace tessera::frontend;

Entity ExpressionGenerator::genUnsigned(const UnsignedExpr &expr) {
  Type type = builder.getIntegerType(64, /*isSigned=*/false);
  return Entity::runtime(values.getConstant(
      builder.getIntegerAttr(type, APInt(64, expr.value)), expr.place));
}

Entity ExpressionGenerator::genName(const NameExpr &expr) {
  if (Symbol *symbol = scopes.lookup(expr.name)) {
    // A size is generated at its first use. Before, its entity is an error.
    if (symbol->kind == Symbol::Kind::Size && symbol->entity.isError())
      symbol->entity = Entity::runtime(values.getSize(expr.name, expr.place));
    if (!symbol->entity.is(Kind::Absent))
      return symbol->getOperand();
    error(expr.place) << "`" << expr.name
                      << "` is an absent parameter in this call, so use it "
                         "inside of a compile-time `if`";
    return Entity();
  }
  if (Type type = lookupTypeName(builder.getContext(), expr.name))
    return Entity::typed(type);
  reportUnknownName(context, expr.place, expr.name);
  return Entity();
}

Entity ExpressionGenerator::genUnary(const UnaryExpr &expr) {
  // The magnitude of the least i64 is a literal of u64.
  auto *literal = dyn_cast<UnsignedExpr>(expr.operand);
  if (expr.op == TokenKind::Minus && literal &&
      literal->value == uint64_t(1) << 63)
    return Entity::integer(INT64_MIN);
  Entity operand = walk.genOperand(expr.operand, frontend::describe(expr.op));
  return operators.applyUnary(expr.op, operand, expr.place);
}

Entity ExpressionGenerator::genBinary(const BinaryExpr &expr) {
  if (expr.op == TokenKind::At)
    return products.genProduct(expr, nullptr);
  if (expr.op == TokenKind::AmpAmp || expr.op == TokenKind::PipePipe)
    return genLogical(expr);
  // A product accumulates onto the other operand of a sum.
  if (expr.op == TokenKind::Plus) {
    auto *rhs = dyn_cast<BinaryExpr>(expr.rhs);
    auto *lhs = dyn_cast<BinaryExpr>(expr.lhs);
    if (rhs && rhs->op == TokenKind::At) {
      Entity accumulator = walk.genExpr(expr.lhs);
      return products.genProduct(*rhs, &accumulator);
    }
    if (lhs && lhs->op == TokenKind::At) {
      Entity accumulator = walk.genExpr(expr.rhs);
      return products.genProduct(*lhs, &accumulator);
    }
  }
  Entity lhs = walk.genExpr(expr.lhs);
  Entity rhs = walk.genExpr(expr.rhs);
  Entity result = operators.applyBinary(expr.op, lhs, rhs, expr.place);
  std::optional<InexactQuotient> quotient = result.getInexactQuotient();
  if (expr.op != TokenKind::Slash || !quotient)
    return result;
  auto *negative = dyn_cast<UnaryExpr>(expr.lhs);
  quotient->isLiteral =
      isa<IntegerExpr>(negative ? negative->operand : expr.lhs);
  return result.withInexactQuotient(quotient);
}

Entity ExpressionGenerator::genLogical(const BinaryExpr &expr) {
  // The right operand is not even checked if the left one decides.
  Entity lhs = walk.genExpr(expr.lhs);
  if (lhs.is(Kind::Bool) && lhs.getBool() == (expr.op == TokenKind::PipePipe))
    return lhs;
  Entity rhs = walk.genExpr(expr.rhs);
  return operators.applyBinary(expr.op, lhs, rhs, expr.place);
}

Entity ExpressionGenerator::genCast(const CastExpr &cast) {
  Entity operand = walk.genExpr(cast.operand);
  Type type = walk.evaluateType(cast.type);
  if (!type || operand.isError())
    return Entity();
  if (isa<RankedTensorType>(type)) {
    error(cast.type->place) << "`as` converts elements; expected an element "
                               "type such as `"
                            << printType(getElementTypeOrSelf(type))
                            << "`, got `" << printType(type) << "`";
    return Entity();
  }
  return conversions.castTo(operand, type, cast.place)
      .withAxisNames(operand.getAxisNames());
}

/// Returns what a member of a module of Python is called here; empty if none.
static StringRef findMemberOfModule(StringRef module, StringRef member) {
  bool isModule = llvm::is_contained(
      {"np", "numpy", "math", "torch", "jnp", "cp", "cupy", "tl"}, module);
  return isModule ? findForeignName(member) : "";
}

Entity ExpressionGenerator::genMember(const MemberExpr &expr) {
  if (auto *name = dyn_cast<NameExpr>(expr.base);
      name && !scopes.lookup(name->name))
    if (StringRef hint = findMemberOfModule(name->name, expr.name.text);
        !hint.empty()) {
      error(name->place) << "there is no module `" << name->name << "`; `"
                         << expr.name.text << "`: " << hint;
      return Entity();
    }
  Entity base = walk.genExpr(expr.base);
  if (base.isError())
    return Entity();
  if (base.is(Kind::Range))
    return genRangeMember(base, expr);
  if (expr.name.text != "T") {
    std::string hint = findForeignName(expr.name.text).str();
    if (base.is(Kind::Global) &&
        context.signature.sizePlaces.contains(expr.name.text))
      hint = ("a size is written `" + expr.name.text + "`").str();
    // `1.f` is the number 1 and a name.
    if (hint.empty() && base.is(Kind::Integer) && base.isNumber())
      hint = "a float is written `1.0`";
    if (hint.empty() && base.is(Kind::Tile))
      hint = "a tile has `.T`, its transpose";
    error(expr.name.place) << base.describe() << " has no member `"
                           << expr.name.text << "`"
                           << (hint.empty() ? "" : "; ") << hint;
    return Entity();
  }
  return genTranspose(base, expr);
}

Entity ExpressionGenerator::genRangeMember(const Entity &range,
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

Entity ExpressionGenerator::genTranspose(const Entity &base,
                                         const MemberExpr &expr) {
  if (!conversions.checkTile(base, expr.place, "the operand of `.T`"))
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
