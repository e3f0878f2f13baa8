//===- Expressions.cpp - Constant expressions -----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Precedence climbing over the operators of C, on integers of 64 bits.
// Signedness is part of a value, as in C: an operation is unsigned if an
// operand is. Division and shifts that C leaves undefined wrap or are errors.
// The depth of parentheses is limited.
//
//===----------------------------------------------------------------------===//

#include "Expressions.h"

#include "llvm/ADT/StringSwitch.h"

namespace tessera::emu::parsing {

static constexpr unsigned kMaxDepth = 64;
/// WARP_SZ (PTX ISA, 4.5.4 "Predefined constants").
static constexpr uint64_t kWarpSize = 32;

/// Returns the precedence of a binary operator, from 1; 0 for other tokens.
static unsigned getPrecedence(const Token &token) {
  if (token.kind != Token::Punctuation)
    return 0;
  return llvm::StringSwitch<unsigned>(token.text)
      .Case("||", 1)
      .Case("&&", 2)
      .Case("|", 3)
      .Case("^", 4)
      .Case("&", 5)
      .Cases({"==", "!="}, 6)
      .Cases({"<", "<=", ">", ">="}, 7)
      .Cases({"<<", ">>"}, 8)
      .Cases({"+", "-"}, 9)
      .Cases({"*", "/", "%"}, 10)
      .Default(0);
}

static bool divide(Cursor &cursor, const Token &op, bool isUnsigned,
                   uint64_t left, uint64_t right, uint64_t &result) {
  if (right == 0)
    return cursor.error(op, "division of a constant by zero");
  bool isQuotient = op.text == "/";
  // The most negative number divided by -1 overflows in C, and wraps here.
  if (isUnsigned)
    result = isQuotient ? left / right : left % right;
  else if (right == ~uint64_t(0))
    result = isQuotient ? -left : 0;
  else
    result = isQuotient
                 ? static_cast<int64_t>(left) / static_cast<int64_t>(right)
                 : static_cast<int64_t>(left) % static_cast<int64_t>(right);
  return true;
}

static bool shift(Cursor &cursor, const Token &op, bool isUnsigned,
                  uint64_t left, uint64_t right, uint64_t &result) {
  if (right > 63)
    return cursor.error(op, "shift of a constant by more than 63");
  if (op.text == "<<")
    result = left << right;
  else
    result = isUnsigned ? left >> right : static_cast<int64_t>(left) >> right;
  return true;
}

static bool compare(StringRef op, bool isUnsigned, uint64_t left,
                    uint64_t right) {
  // The signed order is the unsigned order with flipped sign bits.
  uint64_t flip = isUnsigned ? 0 : uint64_t(1) << 63;
  left ^= flip;
  right ^= flip;
  if (op == "<")
    return left < right;
  if (op == "<=")
    return left <= right;
  if (op == ">")
    return left > right;
  if (op == ">=")
    return left >= right;
  return (op == "==") == (left == right);
}

/// Computes left = left op right.
static bool apply(Cursor &cursor, const Token &op, Constant &left,
                  const Constant &right) {
  if (!left.isInteger() || !right.isInteger())
    return cursor.error(op, "arithmetic on floating-point constants is not "
                            "supported");
  uint64_t a = left.bits, b = right.bits;
  unsigned precedence = getPrecedence(op);
  bool isUnsigned = left.kind == Constant::Unsigned ||
                    (precedence != 8 && right.kind == Constant::Unsigned);
  left.kind = isUnsigned && precedence != 6 && precedence != 7 && precedence > 2
                  ? Constant::Unsigned
                  : Constant::Signed;
  switch (precedence) {
  case 1:
    left.bits = a || b;
    return true;
  case 2:
    left.bits = a && b;
    return true;
  case 3:
    left.bits = a | b;
    return true;
  case 4:
    left.bits = a ^ b;
    return true;
  case 5:
    left.bits = a & b;
    return true;
  case 6:
  case 7:
    left.bits = compare(op.text, isUnsigned, a, b);
    return true;
  case 8:
    return shift(cursor, op, isUnsigned, a, b, left.bits);
  case 9:
    left.bits = op.text == "+" ? a + b : a - b;
    return true;
  default:
    if (op.text == "*") {
      left.bits = a * b;
      return true;
    }
    return divide(cursor, op, isUnsigned, a, b, left.bits);
  }
}

static bool parseChoice(Cursor &cursor, Constant &constant, unsigned depth);

/// Parses "(expression)" or "(.s64) operand".
static bool parseParentheses(Cursor &cursor, Constant &constant, unsigned depth,
                             Constant::Kind &cast, bool &isCast) {
  cursor.advance();
  isCast = cursor.isDotWord();
  if (!isCast)
    return parseChoice(cursor, constant, depth) &&
           cursor.expect(")", "')' after a constant expression");
  Token type = cursor.take();
  if (type.text != ".s64" && type.text != ".u64")
    return cursor.error(type, "constants are cast to .s64 or .u64, not to '" +
                                  type.text + "'");
  cast = type.text == ".s64" ? Constant::Signed : Constant::Unsigned;
  return cursor.expect(")", "')' after the type of a cast");
}

static bool parseUnary(Cursor &cursor, Constant &constant, unsigned depth) {
  if (depth > kMaxDepth)
    return cursor.error(cursor.get(), "constant expression is nested too "
                                      "deeply");
  Token token = cursor.get();
  if (token.kind == Token::Number)
    return parseLiteral(cursor, constant);
  if (token.kind == Token::Identifier && token.text == "WARP_SZ") {
    cursor.advance();
    constant = {Constant::Signed, kWarpSize};
    return true;
  }
  if (token.is("(")) {
    Constant::Kind cast = Constant::Signed;
    bool isCast = false;
    if (!parseParentheses(cursor, constant, depth + 1, cast, isCast))
      return false;
    if (!isCast)
      return true;
    if (!parseUnary(cursor, constant, depth + 1))
      return false;
    if (!constant.isInteger())
      return cursor.error(token, "only integer constants are cast");
    constant.kind = cast;
    return true;
  }
  if (!token.is("+") && !token.is("-") && !token.is("!") && !token.is("~"))
    return cursor.errorExpected("a constant");

  cursor.advance();
  if (!parseUnary(cursor, constant, depth + 1))
    return false;
  bool isSign = token.is("+") || token.is("-");
  if (!constant.isInteger() && !(isSign && constant.kind == Constant::Decimal))
    return cursor.error(token, "'" + token.text +
                                   "' does not apply to this floating-point "
                                   "constant");
  if (token.is("-"))
    constant.bits = constant.isInteger() ? -constant.bits
                                         : constant.bits ^ (uint64_t(1) << 63);
  else if (token.is("~"))
    constant.bits = ~constant.bits;
  else if (token.is("!"))
    constant = {Constant::Signed, constant.bits == 0};
  return true;
}

/// Parses operators of at least this precedence; all associate to the left.
static bool parseBinary(Cursor &cursor, Constant &left, unsigned minimum,
                        unsigned depth) {
  if (!parseUnary(cursor, left, depth))
    return false;
  while (unsigned precedence = getPrecedence(cursor.get())) {
    if (precedence < minimum)
      break;
    Token op = cursor.take();
    Constant right;
    if (!parseBinary(cursor, right, precedence + 1, depth) ||
        !apply(cursor, op, left, right))
      return false;
  }
  return true;
}

static bool parseChoice(Cursor &cursor, Constant &constant, unsigned depth) {
  if (!parseBinary(cursor, constant, 1, depth))
    return false;
  Token question = cursor.get();
  if (!cursor.consume("?"))
    return true;
  Constant otherwise;
  if (!constant.isInteger())
    return cursor.error(question, "the condition of a constant expression "
                                  "must be an integer");
  bool holds = constant.bits != 0;
  if (!parseChoice(cursor, constant, depth + 1) ||
      !cursor.expect(":", "':' in a constant expression") ||
      !parseChoice(cursor, otherwise, depth + 1))
    return false;
  if (!holds)
    constant = otherwise;
  return true;
}

bool startsExpression(const Token &token) {
  return token.kind == Token::Number || token.is("-") || token.is("+") ||
         token.is("~") || token.is("!") || token.is("(") ||
         (token.kind == Token::Identifier && token.text == "WARP_SZ");
}

bool parseExpression(Cursor &cursor, Constant &constant) {
  return parseChoice(cursor, constant, 0);
}

bool parseIntegerExpression(Cursor &cursor, int64_t &value) {
  Token start = cursor.get();
  Constant constant;
  if (!parseExpression(cursor, constant))
    return false;
  if (!constant.isInteger())
    return cursor.error(start,
                        "expected an integer, found '" + start.text + "'");
  value = static_cast<int64_t>(constant.bits);
  return true;
}

} // namespace tessera::emu::parsing
