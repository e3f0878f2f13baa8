//===- PrintFunction.cpp - print --------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines of text and values, for debugging. The operation holds integers without
// a sign, so it records the values whose type has none.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"
#include "Warnings/Warnings.h"

using namespace tessera;
using namespace tessera::frontend;

Entity BuiltinFunctions::genPrint(const CallExpr &call) {
  auto *text = call.arguments.empty()
                   ? nullptr
                   : dyn_cast<StringExpr>(call.arguments.front().value);
  if (!text) {
    error(call.place) << "`print` takes a text first, then scalars and tiles: "
                         "`print(\"x:\", x)`";
    return Entity();
  }
  if (call.arguments.size() > 1)
    warnOfPlaceholders(context, text->text, text->place);
  SmallVector<Value> printed;
  SmallVector<bool> isUnsigned;
  bool valid = true;
  for (const Argument &argument : llvm::drop_begin(call.arguments)) {
    SourcePlace place = argument.value->place;
    if (!argument.name.text.empty()) {
      error(argument.name.place) << "the arguments of `print` have no names";
      return Entity();
    }
    Entity value = walk.genOperand(argument.value, "an argument of `print`");
    if (value.isError()) {
      valid = false;
      continue;
    }
    if (value.is(Kind::Integer))
      value = Entity::runtime(
          conversions.toIndex(value, place, "an argument of `print`"));
    else if (value.isCompileTime())
      value = Entity::runtime(values.getNumber(value,
                                               value.is(Kind::Bool)
                                                   ? Type(builder.getI1Type())
                                                   : Type(builder.getF32Type()),
                                               std::nullopt, place));
    if (value.isError()) {
      valid = false;
      continue;
    }
    isUnsigned.push_back(value.getElementType().isUnsignedInteger());
    printed.push_back(value.getValue());
  }
  if (valid)
    tile::PrintOp::create(builder, getLoc(call.place), text->text, printed,
                          isUnsigned);
  return valid ? Entity::nothing() : Entity();
}
