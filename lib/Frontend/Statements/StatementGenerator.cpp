//===- StatementGenerator.cpp - Statements without branches -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements without control flow. The symbol of a `var` refers to an SSA
// value; an assignment replaces it by another value of the same type.
//
//===----------------------------------------------------------------------===//

#include "StatementGenerator.h"
#include "Expressions/AxisNames.h"
#include "Names/UnknownNames.h"
#include "Warnings/Warnings.h"

using namespace tessera;
using namespace tessera::frontend;

Entity StatementGenerator::makeVar(const Entity &value, SourcePlace place) {
  if (value.isError())
    return value;
  if (!value.isOperand()) {
    error(place) << value.describe()
                 << " cannot be a `var`; name it with `let`";
    return Entity();
  }
  // A later value may walk other sizes.
  if (!value.isCompileTime())
    return value.withAxisNames({});
  if (value.is(Kind::Integer))
    return Entity::runtime(conversions.toIndex(value, place, "a `var`"));
  Type type = value.is(Kind::Bool) ? Type(builder.getI1Type())
                                   : Type(builder.getF32Type());
  return Entity::runtime(values.getNumber(value, type, std::nullopt, place));
}

SmallVector<Entity>
StatementGenerator::genDeclaredValues(const DeclareStmt &stmt) {
  size_t count = stmt.names.size();
  if (count == 1)
    return {walk.genExpr(stmt.value)};
  Entity value = walk.genValues(stmt.value);
  if (value.is(Kind::Several) && value.getSeveral().size() == count)
    return SmallVector<Entity>(value.getSeveral());
  if (!value.isError()) {
    bool isSeveral = value.is(Kind::Several);
    error(stmt.names.back().place)
        << count << " names take the values of a call that returns " << count
        << ", got "
        << (isSeveral ? value.describe() : "one value, " + value.describe())
        << "; declare as many names as values";
  }
  return SmallVector<Entity>(count);
}

void StatementGenerator::genDeclare(const DeclareStmt &stmt) {
  Symbol::Kind kind = stmt.isVar ? Symbol::Kind::Var : Symbol::Kind::Let;
  for (auto [name, value] :
       llvm::zip_equal(stmt.names, genDeclaredValues(stmt))) {
    Symbol *symbol = context.declare(
        kind, name, stmt.isVar ? makeVar(value, stmt.value->place) : value);
    if (symbol)
      symbol->isUntyped = stmt.isVar && value.isNumber();
  }
}

void StatementGenerator::genAssign(const AssignStmt &stmt) {
  if (auto *name = dyn_cast<NameExpr>(stmt.target))
    return genAssignVar(stmt, *name);
  if (auto *index = dyn_cast<IndexExpr>(stmt.target))
    return genStore(stmt, *index);
  auto diagnostic = error(stmt.target->place);
  diagnostic << "only a `var` or elements of an `out` or `inout` "
                "tensor can be assigned to";
  if (auto *call = dyn_cast<CallExpr>(stmt.target))
    diagnostic << "; elements are written `" << call->callee.text << "[…]`";
}

/// Checks the new value of a `var` that began with a literal such as `0`, which
/// has another type or shape than the values that follow. Returns false after
/// an error.
static bool checkVariable(KernelContext &context, StringRef name,
                          const Entity &current, const Entity &value,
                          SourcePlace place) {
  if (!current.is(Entity::Kind::Scalar))
    return true;
  bool isTile = value.is(Entity::Kind::Tile);
  bool isFloat = current.getElementType().isIndex() &&
                 (value.is(Entity::Kind::Float) ||
                  ((isTile || value.is(Entity::Kind::Scalar)) &&
                   isa<FloatType>(value.getElementType())));
  if (!isTile && !isFloat)
    return true;
  auto diagnostic = context.error(place);
  diagnostic << "the new value of `" << name << "` is " << value.describe()
             << ", expected `" << printType(current.getElementType())
             << "`; a `var` keeps the type of its first value: ";
  if (isTile)
    diagnostic << "begin with `var " << name << " = zeros("
               << printType(value.getValue().getType())
               << ");`, or reduce the value";
  else
    diagnostic << "begin with a float, as in `var " << name << " = 0.0;`";
  return false;
}

void StatementGenerator::genAssignVar(const AssignStmt &stmt,
                                      const NameExpr &target) {
  Symbol *symbol = scopes.lookup(target.name);
  if (!symbol) {
    reportUndeclared(context, stmt, target);
    // Declares the name, so that its uses do not repeat the error.
    if (!isReservedTypeName(target.name))
      context.declare(Symbol::Kind::Let, {target.name, target.place}, Entity());
    walk.genExpr(stmt.value);
    return;
  }
  if (symbol->kind != Symbol::Kind::Var) {
    if (symbol->entity.isError() && symbol->kind == Symbol::Kind::Let)
      return;
    auto diagnostic = error(target.place);
    if (symbol->entity.is(Kind::Global))
      diagnostic << "the tensor `" << target.name
                 << "` is assigned to by index: `" << target.name << "[…] = …`";
    else
      diagnostic << "`" << target.name << "` is " << symbol->describe()
                 << " and cannot be assigned to";
    if (symbol->kind == Symbol::Kind::Let)
      diagnostic << "; declare it with `var`";
    context.noteDeclaration(diagnostic, *symbol);
    return;
  }
  Entity current = symbol->getOperand();
  Entity value;
  auto *product = dyn_cast<BinaryExpr>(stmt.value);
  if (stmt.op == TokenKind::Plus && product && product->op == TokenKind::At)
    value = products.genProduct(*product, &current);
  else
    value = walk.genExpr(stmt.value);
  if (current.isError() || value.isError())
    return;
  if (!checkVariable(context, target.name, current, value, stmt.place))
    return;
  if (stmt.op != TokenKind::Equal &&
      !(stmt.op == TokenKind::Plus && product && product->op == TokenKind::At))
    value = operators.applyBinary(stmt.op, current, value, stmt.place);
  Value result =
      conversions.coerce(value, current.getValue().getType(), stmt.place,
                         ("the new value of `" + target.name + "`").str());
  if (result)
    symbol->entity = Entity::runtime(result);
}

void StatementGenerator::genStore(const AssignStmt &stmt,
                                  const IndexExpr &target) {
  if (accesses.reportSplitIndex(target)) {
    walk.genExpr(stmt.value);
    return;
  }
  // A loaded tile cannot be assigned to, so `y[n][0] = …` does not load `y[n]`.
  bool isLoaded = isa<IndexExpr>(target.base);
  Entity base = isLoaded ? Entity::nothing() : walk.genExpr(target.base);
  if (base.isError()) {
    walk.genExpr(stmt.value);
    return;
  }
  if (!base.is(Kind::Global)) {
    error(target.place)
        << "only elements of a tensor in global memory can be "
           "assigned to; create a new tile with `where` or arithmetic";
    return;
  }
  if (stmt.op != TokenKind::Equal) {
    bool isRead = base.getGlobalType().isReadable();
    error(stmt.place)
        << "a tensor in global memory is not updated in place; "
        << (isRead ? ""
                   : "keep the value in a `var` and store it once, or "
                     "declare the tensor `inout` and ")
        << "write `x[m] = x[m] + …`, or `atomic_add(x[m], …)` where programs "
           "add to the same elements";
    return;
  }
  std::optional<Access> access =
      accesses.genAccess(target, base, Access::Use::Write);
  Entity value = walk.genExpr(stmt.value);
  if (!access)
    return;
  std::string what = "the value stored to " + access->name;
  Value stored =
      conversions.coerce(value, access->valueType, stmt.value->place, what);
  warnOfRepeatedReduction(context, value, access->valueType, stmt.value->place);
  if (stored && checkStoredAxes(context, access->axisNames, value,
                                stmt.value->place, what))
    tile::StoreOp::create(builder, getLoc(target.place), stored, access->global,
                          access->indices, DenseBoolArrayAttr(), access->axes);
}

void StatementGenerator::genAssert(const AssertStmt &stmt) {
  std::optional<bool> holds = walk.evaluateBool(
      stmt.condition, "the condition of an `assert`",
      "; `check c, \"message\";` checks a condition at run time");
  if (!holds || *holds || !context.options.checkAssertions)
    return;
  auto diagnostic = error(stmt.place);
  context.noteFailedAssertion();
  diagnostic << "assertion failed";
  if (!stmt.message.empty())
    diagnostic << ": " << stmt.message;
  if (context.kernel.compileTimeParameters.empty())
    return;
  // The values of the compile-time parameters, as on the command line.
  std::string values;
  for (const CompileTimeParameter &parameter :
       context.kernel.compileTimeParameters) {
    // A fn does not see the parameters of the kernel.
    Symbol *symbol = scopes.lookup(parameter.name.text);
    if (!symbol || symbol->kind != Symbol::Kind::CompileTimeParameter)
      return;
    const Entity &entity = symbol->entity;
    values += values.empty() ? "" : ", ";
    values += (parameter.name.text + " = ").str();
    values += entity.is(Kind::Type)      ? printType(entity.getTypeValue())
              : entity.is(Kind::Bool)    ? (entity.getBool() ? "true" : "false")
              : entity.is(Kind::Integer) ? std::to_string(entity.getInteger())
                                         : printNumber(entity.getFloat());
  }
  note(diagnostic, context.kernel.name.place)
      << "in `" << context.kernel.name.text << "` with " << values;
}

void StatementGenerator::genCheck(const CheckStmt &stmt) {
  Entity condition = walk.genExpr(stmt.condition);
  if (condition.isError() || (condition.is(Kind::Bool) && condition.getBool()))
    return;
  if (condition.is(Kind::Bool))
    condition = Entity::runtime(values.getNumber(condition, builder.getI1Type(),
                                                 std::nullopt, stmt.place));
  if (!condition.isOperand() || condition.isNumber() ||
      !condition.getElementType().isInteger(1)) {
    error(stmt.condition->place)
        << "the condition of a `check` is a `bool` or a tile of `bool`, got "
        << condition.describe();
    return;
  }
  tile::CheckOp::create(builder, getLoc(stmt.place), condition.getValue(),
                        builder.getStringAttr(stmt.message));
}

void StatementGenerator::genReturn(const ReturnStmt &stmt) {
  if (context.getCalls().empty() && stmt.values.empty())
    error(stmt.place) << "a kernel ends after its last statement; put the "
                         "statements that remain under an `if`";
  else if (context.getCalls().empty())
    error(stmt.place) << "a kernel returns nothing; store to an `out` tensor "
                         "instead of `return`";
  else
    error(stmt.place)
        << "`return` is the last statement of a fn; choose between "
           "values with `if` as an expression, as in `return if c { a } else "
           "{ b };`";
}
