//===- Variables.cpp - Declarations of variables and parameters -----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive-descent parser of declarations: state space, attributes, type,
// name, array sizes and initial value. Sizes are checked before they are
// multiplied, so the number of bytes cannot overflow.
//
//===----------------------------------------------------------------------===//

#include "Variables.h"

#include "Expressions.h"
#include "Initializers.h"

#include "llvm/ADT/StringSwitch.h"

namespace tessera::emu::parsing {

static constexpr uint64_t kMaxVariableBytes = uint64_t(1) << 32;
static constexpr unsigned kMaxDimensions = 16;
static constexpr uint64_t kMaxAlignment = 1u << 16;

namespace {

/// The declaration between the state space and the first name.
struct VariableType {
  Type type = Type::B8;
  /// Elements of a vector; 0 if it is not a vector.
  unsigned elements = 0;
  /// 0: the alignment of the type.
  uint64_t alignment = 0;
};

} // namespace

std::optional<Variable::Space> parseSpace(StringRef dotWord) {
  return llvm::StringSwitch<std::optional<Variable::Space>>(dotWord)
      .Case(".param", Variable::Param)
      .Case(".shared", Variable::Shared)
      .Case(".global", Variable::Global)
      .Case(".const", Variable::Const)
      .Case(".local", Variable::Local)
      .Default(std::nullopt);
}

bool parseFundamentalType(Cursor &cursor, Type &type) {
  if (!cursor.isDotWord())
    return cursor.errorExpected("a type");
  Token token = cursor.take();
  std::optional<Type> parsed = parseType(token.text.drop_front());
  if (!parsed)
    return cursor.error(token, "unknown type '" + token.text + "'");
  type = *parsed;
  switch (type) {
  case Type::BF16:
  case Type::BF16x2:
  case Type::TF32:
  case Type::E4M3:
  case Type::E5M2:
  case Type::E4M3x2:
  case Type::E5M2x2:
    return cursor.error(token, "registers and variables have no type '" +
                                   token.text + "'");
  default:
    return true;
  }
}

static bool parseAlignment(Cursor &cursor, uint64_t &alignment) {
  Token start = cursor.get();
  if (!parseCount(cursor, "an alignment", 1, kMaxAlignment, alignment))
    return false;
  if ((alignment & (alignment - 1)) != 0)
    return cursor.error(start, "alignment must be a power of two");
  return true;
}

/// Skips `.attribute(.managed)`, which describes other uses of the variable.
static bool skipAttribute(Cursor &cursor) {
  if (!cursor.expect("(", "'(' after '.attribute'"))
    return false;
  while (!cursor.is(")") && !cursor.is(";") && !cursor.isEnd())
    cursor.advance();
  return cursor.expect(")", "')' after attributes");
}

static bool parseVariableType(Cursor &cursor, VariableType &type) {
  for (;;) {
    if (cursor.consumeDotWord(".align")) {
      if (!parseAlignment(cursor, type.alignment))
        return false;
    } else if (cursor.consumeDotWord(".attribute")) {
      if (!skipAttribute(cursor))
        return false;
    } else if (cursor.consumeDotWord(".v2")) {
      type.elements = 2;
    } else if (cursor.consumeDotWord(".v4")) {
      type.elements = 4;
    } else {
      break;
    }
  }
  Token start = cursor.get();
  if (!parseFundamentalType(cursor, type.type))
    return false;
  if (type.type == Type::Pred)
    return cursor.error(start, "only registers are predicates");
  return true;
}

/// Parses `[4][2]`, and `[]` as the outermost size.
static bool parseSizes(Cursor &cursor, Shape &shape) {
  while (cursor.is("[")) {
    Token open = cursor.take();
    if (cursor.is("]") && shape.sizes.empty()) {
      shape.isUnsized = true;
      shape.sizes.push_back(0);
    } else {
      int64_t size = 0;
      if (!parseIntegerExpression(cursor, size))
        return false;
      if (size < 1 || static_cast<uint64_t>(size) > kMaxVariableBytes)
        return cursor.error(open, "the size of an array must be from 1 to " +
                                      llvm::Twine(kMaxVariableBytes));
      shape.sizes.push_back(size);
    }
    if (!cursor.expect("]", "']' after the size of an array"))
      return false;
    if (shape.sizes.size() > kMaxDimensions)
      return cursor.error(open, "array of more than " +
                                    llvm::Twine(kMaxDimensions) +
                                    " dimensions");
  }
  return true;
}

/// Sets `variable.bytes`; for an array without a size, the bytes of one
/// element.
static bool measure(Cursor &cursor, const Token &name, const Shape &shape,
                    Variable &variable) {
  variable.bytes = getBytes(shape.type);
  for (uint64_t size : shape.sizes) {
    if (size == 0)
      continue;
    if (variable.bytes > kMaxVariableBytes / size)
      return cursor.error(name, "variable '" + name.text + "' is too large");
    variable.bytes *= size;
  }
  return true;
}

/// Parses the name, the sizes and the initial value.
static bool parseDeclarator(Cursor &cursor, const VariableType &type,
                            bool mayBeUnsized, Declaration &declaration) {
  auto &[name, variable, hasAddresses] = declaration;
  if (!cursor.expectIdentifier(name, "the name of a variable"))
    return false;
  Shape shape;
  shape.type = type.type;
  shape.isVector = type.elements != 0;
  if (!parseSizes(cursor, shape))
    return false;
  if (type.elements)
    shape.sizes.push_back(type.elements);
  // Also before the initial value, so that no offset in it overflows.
  if (!measure(cursor, name, shape, variable))
    return false;
  bool hasSpace =
      variable.space == Variable::Global || variable.space == Variable::Const;
  Token equals = cursor.get();
  if (cursor.consume("=")) {
    if (!hasSpace)
      return cursor.error(equals, "only variables in global and constant "
                                  "memory have initial values");
    if (!parseInitializer(cursor, shape, variable.initializer) ||
        !measure(cursor, name, shape, variable))
      return false;
  } else if (shape.isUnsized && !mayBeUnsized) {
    return cursor.error(name, "array '" + name.text + "' has no size");
  }
  hasAddresses = shape.hasAddresses;
  variable.name = name.text.str();
  variable.where.line = name.line;
  variable.where.column = name.column;
  variable.isExtern = shape.isUnsized && shape.sizes[0] == 0;
  if (variable.isExtern)
    variable.bytes = 0;
  variable.alignment = type.alignment
                           ? type.alignment
                           : getBytes(type.type) * std::max(type.elements, 1u);
  return true;
}

bool parseVariables(Cursor &cursor, Variable::Space space, bool isExtern,
                    llvm::function_ref<bool(Declaration)> add) {
  VariableType type;
  if (!parseVariableType(cursor, type))
    return false;
  do {
    Declaration declaration;
    declaration.variable.space = space;
    if (!parseDeclarator(cursor, type, isExtern, declaration) ||
        !add(std::move(declaration)))
      return false;
  } while (cursor.consume(","));
  return cursor.expect(";", "';' after a variable");
}

/// Skips `.ptr .global .align 16`, which describes the memory that the
/// parameter points to.
static bool skipPointee(Cursor &cursor) {
  if (std::optional<Variable::Space> space = parseSpace(cursor.get().text);
      cursor.isDotWord() && space && *space != Variable::Param)
    cursor.advance();
  uint64_t alignment = 0;
  return !cursor.consumeDotWord(".align") || parseAlignment(cursor, alignment);
}

bool parseParameter(Cursor &cursor, bool mayBeUnsized,
                    Declaration &declaration) {
  VariableType type;
  declaration.variable.space = Variable::Param;
  if (!parseVariableType(cursor, type))
    return false;
  if (cursor.consumeDotWord(".ptr") && !skipPointee(cursor))
    return false;
  return parseDeclarator(cursor, type, mayBeUnsized, declaration);
}

} // namespace tessera::emu::parsing
