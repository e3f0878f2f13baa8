//===- SignatureGenerator.cpp - Parameters of a kernel ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds the compile-time parameters to values, then converts the types of the
// parameters to types of the `tile` dialect. Two-phase name resolution: scalar
// parameters are collected first, because a dimension may name a later one.
//
//===----------------------------------------------------------------------===//

#include "SignatureGenerator.h"

#include "tessera/Array/FloatText.h"

using namespace tessera;
using namespace tessera::frontend;

//===----------------------------------------------------------------------===//
// Compile-time parameters
//===----------------------------------------------------------------------===//

Entity SignatureGenerator::parseDefine(const CompileTimeParameter &parameter,
                                       StringRef text) {
  StringRef type = parameter.type.text;
  int64_t integer;
  if (type == "int" && !text.getAsInteger(0, integer))
    return Entity::integer(integer);
  if (type == "float")
    if (std::optional<double> number = array::readFloat(text))
      return Entity::floating(*number);
  if (type == "bool" && (text == "true" || text == "false"))
    return Entity::boolean(text == "true");
  StringRef hint;
  if (type == "type") {
    // The names of NumPy and torch, which calls from Python may also give.
    StringRef name = findForeignType(text);
    if (Type named =
            lookupTypeName(builder.getContext(), name.empty() ? text : name))
      return Entity::typed(named);
    hint = findForeignName(text);
  }
  error(parameter.name.place)
      << "the value `" << text << "` given for `" << parameter.name.text
      << "` is not "
      << (type == "type"   ? "an element type, such as `f16`"
          : type == "bool" ? "`true` or `false`"
          : type == "int"  ? "an integer of 64 bits"
                           : "a number")
      << (hint.empty() ? "" : "; ") << hint;
  return Entity();
}

Entity SignatureGenerator::convertValue(const CompileTimeParameter &parameter,
                                        const Expr *expr, StringRef what) {
  StringRef type = parameter.type.text;
  Entity value = walk.genExpr(expr);
  if (type == "float" && value.is(Kind::Integer))
    return context.checkExact(value) ? Entity::floating(value.getFloat())
                                     : Entity();
  if (type == "int" && value.is(Kind::Integer))
    return value.withInexactQuotient(std::nullopt);
  if ((type == "float" && value.is(Kind::Float)) ||
      (type == "bool" && value.is(Kind::Bool)) ||
      (type == "type" && value.is(Kind::Type)))
    return value;
  if (!value.isError())
    error(expr->place) << what << " of `" << parameter.name.text << "` is "
                       << value.describe() << ", expected "
                       << (type == "type" ? "a type"
                                          : ("`" + type + "`").str());
  return Entity();
}

bool SignatureGenerator::bindCompileTimeParameters() {
  bool valid = true;
  for (const CompileTimeParameter &parameter :
       context.kernel.compileTimeParameters) {
    StringRef type = parameter.type.text;
    bool isKnown = true;
    if (type != "int" && type != "float" && type != "bool" && type != "type") {
      error(parameter.type.place) << "a compile-time parameter is `int`, "
                                     "`float`, `bool` or `type`, got "
                                     "`"
                                  << type << "`";
      isKnown = false;
    } else {
      isKnown = checkCandidates(parameter);
    }
    if (!isKnown) {
      valid = false;
      // One error is enough: no name is missing for what follows.
      context.declare(Symbol::Kind::CompileTimeParameter, parameter.name,
                      Entity());
      continue;
    }
    const std::string *text = nullptr;
    for (const auto &[name, value] : context.options.defines)
      if (name == parameter.name.text)
        text = &value;
    Entity value;
    if (text)
      value = parseDefine(parameter, *text);
    else if (parameter.value)
      value = convertValue(parameter, parameter.value, "the default");
    else
      error(parameter.name.place)
          << "`" << parameter.name.text
          << "` has no default and no value was given; give one on the command "
             "line with `-D "
          << parameter.name.text << "=…`";
    valid &= !value.isError() && evaluateCandidates(parameter, value, text);
    valid &= context.declare(Symbol::Kind::CompileTimeParameter, parameter.name,
                             value) != nullptr;
  }
  return valid && checkInterface();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

bool SignatureGenerator::chooseParameters() {
  bool valid = true;
  for (const Parameter &parameter : context.kernel.parameters) {
    if (!parameter.condition) {
      signature.parameters.push_back(&parameter);
      continue;
    }
    Entity condition = walk.genExpr(parameter.condition);
    if (condition.is(Kind::Bool)) {
      (condition.getBool() ? signature.parameters : signature.absentParameters)
          .push_back(&parameter);
      continue;
    }
    if (!condition.isError())
      error(parameter.condition->place)
          << "whether there is a parameter `" << parameter.name.text
          << "` is a `bool` that is known at compile time, got "
          << condition.describe();
    valid = false;
  }
  return valid;
}

bool SignatureGenerator::collectParameterTypes(SmallVectorImpl<Type> &types) {
  // Dimensions may name an `int` parameter that comes after them.
  for (const Parameter *parameter : signature.parameters)
    if (isa<NameExpr>(parameter->type))
      signature.scalarParameters[parameter->name.text] = {};
    else
      signature.tensorPlaces.try_emplace(parameter->name.text,
                                         parameter->name.place);
  bool valid = true;
  for (const Parameter *parameter : signature.parameters) {
    if (!isa<NameExpr>(parameter->type))
      continue;
    Type type = evaluateParameterType(*parameter);
    signature.scalarParameters[parameter->name.text] = type;
    valid &= type != Type();
  }
  if (!valid)
    return false;
  for (const Parameter *parameter : signature.parameters) {
    Type type;
    if (isa<NameExpr>(parameter->type))
      type = signature.scalarParameters[parameter->name.text];
    else if (auto *index = dyn_cast<IndexExpr>(parameter->type))
      type = evaluateGlobalType(*parameter, *index);
    else
      error(parameter->type->place)
          << "expected a type after `" << parameter->name.text
          << ":`, such as `f32` or `f32[M, N]`";
    valid &= type != Type();
    types.push_back(type);
  }
  return valid;
}

Type SignatureGenerator::evaluateParameterType(const Parameter &parameter) {
  Type type = walk.evaluateType(parameter.type);
  if (!type)
    return {};
  // Reported as a type that elements cannot have.
  if (type.isTF32())
    return walk.evaluateElementType(parameter.type);
  if (parameter.access != Parameter::Access::In) {
    error(parameter.name.place)
        << "`" << parameter.name.text
        << "` is a scalar and cannot be written; only tensors are `out` or "
           "`inout`, such as `"
        << parameter.name.text << ": " << printType(type) << "[1]`";
    return {};
  }
  return type;
}

Type SignatureGenerator::evaluateGlobalType(const Parameter &parameter,
                                            const IndexExpr &index) {
  Type element = walk.evaluateElementType(index.base);
  if (!element)
    return {};
  if (index.items.empty()) {
    bool isRead = parameter.access == Parameter::Access::In;
    error(index.place) << "the tensor `" << parameter.name.text
                       << "` has no dimension; "
                       << (isRead ? "a scalar" : "an output of one element")
                       << " is written `" << parameter.name.text << ": "
                       << printType(element) << (isRead ? "`" : "[1]`");
    return {};
  }
  SmallVector<tile::SizeAttr> shape;
  for (auto [i, item] : llvm::enumerate(index.items)) {
    if (item.kind != IndexItem::Kind::Value) {
      error(item.place) << "a dimension of a tensor parameter is a size: a "
                           "name, a number or an expression of them";
      return {};
    }
    tile::SizeAttr size = sizes.evaluateSize(item.value, "a dimension");
    if (!size)
      return {};
    std::optional<int64_t> constant = size.getConstantValue();
    if (constant && *constant < 1) {
      error(item.place) << "dimension " << i << " of `" << parameter.name.text
                        << "` is " << *constant << ", expected at least 1";
      return {};
    }
    shape.push_back(size);
  }
  tile::Access access =
      parameter.access == Parameter::Access::In    ? tile::Access::In
      : parameter.access == Parameter::Access::Out ? tile::Access::Out
                                                   : tile::Access::InOut;
  return tile::GlobalType::get(builder.getContext(), shape, element, access);
}

void SignatureGenerator::declareParameters(tile::KernelOp kernelOp) {
  for (auto [parameter, value] :
       llvm::zip_equal(signature.parameters, kernelOp.getParams())) {
    // An `int` parameter that is a size of the kernel is used as that size, so
    // that ranges over it know the dimension they walk.
    bool isSize = value.getType().isIndex() &&
                  signature.sizePlaces.contains(parameter->name.text);
    context.declare(isSize ? Symbol::Kind::Size : Symbol::Kind::Parameter,
                    parameter->name,
                    isSize ? Entity() : Entity::runtime(value));
  }
  for (auto [axis, value] :
       llvm::zip_equal(context.kernel.axes, kernelOp.getGridArguments()))
    context.declare(Symbol::Kind::Axis, axis.name, Entity::runtime(value));
  for (const auto &[name, place] : signature.sizePlaces) {
    Symbol *symbol = scopes.lookup(name);
    if (!symbol || symbol->kind != Symbol::Kind::Size)
      context.declare(Symbol::Kind::Size, {name, place}, Entity());
  }
}
