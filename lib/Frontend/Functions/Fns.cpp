//===- Fns.cpp - Inlined calls of fns ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Monomorphisation by inlining: a fn is checked and generated at each call,
// with the arguments of the call. Compile-time arguments stay known inside. A
// fn sees its parameters and no names of its caller. Errors inside carry a note
// on each enclosing call. Recursion is an error.
//
//===----------------------------------------------------------------------===//

#include "CallGenerator.h"

using namespace tessera;
using namespace tessera::frontend;

Entity CallGenerator::adaptArgument(const Parameter &parameter,
                                    const Entity &argument, SourcePlace place) {
  if (!parameter.type || argument.is(Kind::Absent))
    return argument;
  std::string what = ("the argument `" + parameter.name.text + "`").str();
  auto report = [&](StringRef expected) {
    error(place) << what << " is " << argument.describe() << ", expected "
                 << expected;
    return Entity();
  };

  // `type` and `float` are words for what is known at compile time only.
  auto *name = dyn_cast<NameExpr>(parameter.type);
  if (name && name->name == "type")
    return argument.is(Kind::Type) ? argument : report("a type");
  if (name && name->name == "float") {
    if (!argument.isNumber())
      return report("a number known at compile time (`float`)");
    return context.checkExact(argument) ? Entity::floating(argument.getFloat())
                                        : Entity();
  }
  if (name && name->name == "bool" && argument.is(Kind::Bool))
    return argument;

  // `f32[..]`: any tile of f32, or a scalar.
  auto *index = dyn_cast<IndexExpr>(parameter.type);
  if (index && index->items.size() == 1 &&
      index->items.front().kind == IndexItem::Kind::Any) {
    Type element = walk.evaluateElementType(index->base);
    if (!element)
      return Entity();
    if (argument.is(Kind::Tile) && argument.getElementType() == element)
      return argument;
    if (argument.is(Kind::Tile) || !argument.isOperand())
      return report("a tile of `" + printType(element) + "`");
    return Entity::runtime(conversions.coerce(argument, element, place, what));
  }

  Type type = walk.evaluateType(parameter.type);
  if (!type)
    return Entity();
  if (type.isIndex())
    return argument.is(Kind::Integer)
               ? argument.withInexactQuotient(std::nullopt)
               : Entity::runtime(conversions.toIndex(argument, place, what));
  if (argument.is(Kind::Tile) && !isa<RankedTensorType>(type)) {
    std::string name = printType(type);
    return report("`" + name + "`; a parameter `" + parameter.name.text.str() +
                  ": " + name + "[..]` takes scalars and tiles of any shape");
  }
  return argument.withValue(conversions.coerce(argument, type, place, what));
}

bool CallGenerator::bindFnParameter(const Parameter &parameter, Entity argument,
                                    SourcePlace place) {
  Entity value = adaptArgument(parameter, argument, place);
  if (value.isError())
    return false;
  return context.declare(Symbol::Kind::Parameter, parameter.name, value) !=
         nullptr;
}

bool CallGenerator::checkInlining(SourcePlace place, const FnDecl &fn) {
  for (const ActiveCall &active : context.getCalls()) {
    if (active.fn != &fn)
      continue;
    auto diagnostic = error(place);
    diagnostic << "the fn `" << fn.name.text
               << "` calls itself; fns are inlined and cannot recur";
    return false;
  }
  if (++inlinedCalls > maxInlinedCalls) {
    if (inlinedCalls == maxInlinedCalls + 1)
      error(place) << "more than " << maxInlinedCalls
                   << " calls of fns are inlined into this kernel";
    return false;
  }
  return true;
}

Entity CallGenerator::genArgument(const Expr *expr) {
  auto *name = dyn_cast<NameExpr>(expr);
  if (name && !scopes.lookup(name->name)) {
    if (const FnDecl *fn = context.getFns().lookup(name->name))
      return Entity::function(name->name, fn);
    if (BuiltinFunctions::contains(name->name))
      return Entity::function(name->name, nullptr);
    // A fn sees no parameters of the kernel.
    if (context.getCalls().empty() &&
        llvm::any_of(context.signature.absentParameters,
                     [&](const Parameter *parameter) {
                       return parameter->name.text == name->name;
                     }))
      return Entity::absent();
  }
  if (Symbol *symbol = name ? scopes.lookup(name->name) : nullptr;
      symbol && symbol->entity.is(Kind::Absent))
    return symbol->entity;
  return walk.genExpr(expr);
}

Entity CallGenerator::genFnCall(const CallExpr &call, const FnDecl &fn) {
  SmallVector<Entity> arguments;
  SmallVector<StringRef> names;
  for (const Parameter &parameter : fn.parameters)
    names.push_back(parameter.name.text);
  SmallVector<const Argument *> matched;
  if (!matchArguments(context, call, names, names.size(), matched))
    return Entity();
  SmallVector<SourcePlace> places;
  bool valid = true;
  for (const Argument *argument : matched) {
    arguments.push_back(genArgument(argument->value));
    places.push_back(argument->value->place);
    valid &= !arguments.back().isError();
  }
  return valid ? genInlined(fn, arguments, places, call.place) : Entity();
}

Entity CallGenerator::genInlined(const FnDecl &fn, ArrayRef<Entity> arguments,
                                 ArrayRef<SourcePlace> places,
                                 SourcePlace place) {
  if (!checkInlining(place, fn))
    return Entity();
  Location callLoc = getLoc(place);
  scopes.pushFrame();
  scopes.pushScope();
  bool valid = true;
  for (auto [parameter, argument, source] :
       llvm::zip_equal(fn.parameters, arguments, places))
    valid &= bindFnParameter(parameter, argument, source);
  context.pushCall({&fn, place, callLoc});
  Entity result;
  if (valid)
    result = genFnBody(fn);
  context.popCall();
  scopes.popScope();
  scopes.popFrame();
  return result;
}

Entity CallGenerator::genFnBody(const FnDecl &fn) {
  ArrayRef<Stmt *> statements = fn.body;
  auto *last =
      statements.empty() ? nullptr : dyn_cast<ReturnStmt>(statements.back());
  if (last)
    statements = statements.drop_back();
  unsigned errors = context.getNumErrors();
  for (const Stmt *stmt : statements)
    walk.genStatement(stmt);
  // After a `return` that is not the last statement, a value may be expected.
  if (!last && context.getNumErrors() > errors)
    return Entity();
  if (!last || last->values.empty())
    return Entity::nothing();
  // A call passes on all of its values.
  if (last->values.size() == 1)
    return walk.genValues(last->values.front());
  std::vector<Entity> values;
  for (const Expr *value : last->values)
    values.push_back(walk.genExpr(value));
  return Entity::several(std::move(values));
}
