//===- AsmFunction.cpp - asm ------------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of PTX on elements. The emulator parses the text here, so that
// an error has its place in the source. PTX has no registers of 8 bits, so such
// integers go through 16 bits.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"
#include "Expressions/AxisNames.h"
#include "Expressions/Shapes.h"

#include "tessera/Dialect/Tile/IR/Asm.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::frontend;

static constexpr llvm::StringLiteral kForm =
    "`asm(f32, \"rcp.approx.ftz.f32 $0, $1;\", x)`";

/// Returns the type of a register for `element`; null if there is none.
static Type getAsmElement(Type element) {
  if (element.isInteger(8))
    return IntegerType::get(element.getContext(), 16,
                            cast<IntegerType>(element).getSignedness());
  return tile::getRegisterType(element) ? element : Type();
}

Entity BuiltinFunctions::genAsmOperand(const Argument &argument) {
  SourcePlace place = argument.value->place;
  if (!argument.name.text.empty()) {
    error(argument.name.place) << "the arguments of `asm` have no names";
    return Entity();
  }
  if (isa<StringExpr>(argument.value)) {
    error(place) << "the texts of `asm` are before its operands: " << kForm;
    return Entity();
  }
  Entity operand = walk.genOperand(argument.value, "an operand of `asm`");
  if (operand.isError() || !context.checkExact(operand))
    return Entity();
  if (operand.isNumber())
    return operand;
  Type element = operand.is(Kind::Bool) ? Type() : operand.getElementType();
  Type type = element ? getAsmElement(element) : Type();
  if (!type) {
    error(place) << "an operand of `asm` is f16, bf16, f32, f64 or an integer "
                    "of 8 to 64 bits, got "
                 << operand.describe() << "; convert with `as i32` or `as f32`";
    return Entity();
  }
  return type == element ? operand : conversions.castTo(operand, type, place);
}

/// Returns the place of a line and a column in the texts, one text for each
/// line. A text has no escaped characters but `\"` and `\\`, which PTX does not
/// have.
static SourcePlace getPlace(ArrayRef<const StringExpr *> texts,
                            const emu::TextError &error, SourcePlace call) {
  if (error.line == 0 || error.line > texts.size())
    return call;
  SourcePlace place = texts[error.line - 1]->place;
  place.column += error.column;
  return place;
}

Entity BuiltinFunctions::genAsm(const CallExpr &call) {
  ArrayRef<Argument> arguments = call.arguments;
  if (arguments.empty() || isa<StringExpr>(arguments.front().value)) {
    error(call.place) << "`asm` takes the element type of its result first: "
                      << kForm;
    return Entity();
  }
  const Argument &first = arguments.front();
  Type element = walk.evaluateElementType(first.value);
  if (!element)
    return Entity();
  Type type = getAsmElement(element);
  if (!type) {
    error(first.value->place)
        << "the result of `asm` is f16, bf16, f32, f64 or an integer of 8 to "
           "64 bits, got `"
        << printType(element) << "`; convert the result with `as`";
    return Entity();
  }
  SmallVector<const StringExpr *> texts;
  arguments = arguments.drop_front();
  for (; !arguments.empty(); arguments = arguments.drop_front()) {
    auto *text = dyn_cast<StringExpr>(arguments.front().value);
    if (!text)
      break;
    texts.push_back(text);
  }
  if (texts.empty()) {
    error(arguments.empty() ? call.place : arguments.front().value->place)
        << "`asm` takes a text after the type: " << kForm;
    return Entity();
  }
  SmallVector<Entity> operands;
  for (const Argument &argument : arguments) {
    operands.push_back(genAsmOperand(argument));
    if (operands.back().isError())
      return Entity();
  }
  if (operands.empty()) {
    error(call.place) << "`asm` takes an operand after the text: " << kForm;
    return Entity();
  }

  std::optional<SmallVector<int64_t>> shape;
  AxisNames names;
  if (!findCommonShape(context, operands, call.place, "`asm`", shape) ||
      !joinAxisNames(context, operands, call.place, "`asm`", names))
    return Entity();
  SmallVector<Value> sources;
  Type resultType = type;
  if (shape)
    resultType = getTileType(*shape, type, call.place);
  if (!resultType)
    return Entity();
  for (const Entity &operand : operands) {
    Type source = operand.is(Kind::Float)     ? builder.getF32Type()
                  : operand.is(Kind::Integer) ? builder.getI32Type()
                                              : operand.getElementType();
    sources.push_back(conversions.materialize(
        operand, source,
        shape ? std::optional<ArrayRef<int64_t>>(*shape) : std::nullopt,
        call.place));
    if (!sources.back())
      return Entity();
  }
  std::string text = llvm::join(
      llvm::map_range(texts, [](auto *text) { return text->text; }), "\n");
  auto op = tile::AsmOp::create(builder, getLoc(call.place), resultType, text,
                                sources);
  emu::TextError textError;
  if (!tile::parseElementProgram(op, textError)) {
    op.erase();
    auto diagnostic = error(getPlace(texts, textError, call.place));
    diagnostic << textError.message;
    // `asm` of other languages numbers operands by `%`.
    StringRef message = textError.message;
    if (message.consume_front("undeclared register '%") &&
        llvm::isDigit(message.front()))
      diagnostic << "; the result is `$0`, and the first operand `$1`";
    return Entity();
  }
  Entity result = Entity::runtime(op.getResult()).withAxisNames(names);
  if (type == element)
    return result;
  return conversions.castTo(result, element, call.place).withAxisNames(names);
}
