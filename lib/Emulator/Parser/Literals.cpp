//===- Literals.cpp - Values of number literals ---------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses number literals by their prefix: bits of floats (0f, 0d), hexadecimal,
// binary and octal integers, else decimal integers or floats. An integer is
// unsigned if it has the suffix U or exceeds the signed range of 64 bits.
//
//===----------------------------------------------------------------------===//

#include "Literals.h"

#include "tessera/Array/FloatText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>

namespace tessera::emu::parsing {

/// Parses the bits of a float (PTX ISA, 4.5.2): all digits must be written.
static bool parseFloatBits(Cursor &cursor, const Token &token,
                           Constant &constant, Constant::Kind kind,
                           unsigned digits) {
  StringRef text = token.text.drop_front(2);
  constant.kind = kind;
  if (text.size() == digits && !text.getAsInteger(16, constant.bits))
    return true;
  return cursor.error(token, "'" + token.text + "' must have " +
                                 llvm::Twine(digits) +
                                 " hexadecimal digits after '" +
                                 token.text.take_front(2) + "'");
}

static bool parseDecimalFloat(Cursor &cursor, const Token &token,
                              Constant &constant) {
  std::optional<double> value = array::readFloat(token.text);
  if (!value)
    return cursor.error(token, "malformed number '" + token.text + "'");
  if (std::isinf(*value))
    return cursor.error(token, "number '" + token.text + "' is too large");
  constant.kind = Constant::Decimal;
  constant.bits = llvm::bit_cast<uint64_t>(*value);
  return true;
}

bool parseLiteral(Cursor &cursor, Constant &constant) {
  Token token = cursor.take();
  StringRef text = token.text;
  if (text.starts_with_insensitive("0f"))
    return parseFloatBits(cursor, token, constant, Constant::Single, 8);
  if (text.starts_with_insensitive("0d"))
    return parseFloatBits(cursor, token, constant, Constant::Double, 16);

  unsigned radix = 10;
  StringRef digits = text;
  if (digits.consume_front_insensitive("0x"))
    radix = 16;
  else if (digits.consume_front_insensitive("0b"))
    radix = 2;
  else if (digits.find_first_not_of("0123456789eE.+-") == StringRef::npos &&
           digits.find_first_of("eE.") != StringRef::npos)
    return parseDecimalFloat(cursor, token, constant);
  else if (digits.size() > 1 && digits.consume_front("0"))
    radix = 8;
  bool isUnsigned = digits.consume_back("U");
  if (radix == 8 && digits.empty() && isUnsigned)
    digits = "0";

  StringRef allowed =
      StringRef("0123456789abcdefABCDEF").take_front(radix == 16 ? 22 : radix);
  if (digits.empty() || digits.find_first_not_of(allowed) != StringRef::npos)
    return cursor.error(token, "malformed number '" + text + "'");
  if (digits.getAsInteger(radix, constant.bits))
    return cursor.error(token, "number '" + text + "' exceeds 64 bits");
  isUnsigned |= constant.bits > static_cast<uint64_t>(INT64_MAX);
  constant.kind = isUnsigned ? Constant::Unsigned : Constant::Signed;
  return true;
}

bool parseCount(Cursor &cursor, const llvm::Twine &what, uint64_t minimum,
                uint64_t maximum, uint64_t &value) {
  if (cursor.get().kind != Token::Number)
    return cursor.errorExpected(what);
  Token token = cursor.get();
  Constant constant;
  if (!parseLiteral(cursor, constant))
    return false;
  value = constant.bits;
  if (constant.isInteger() && minimum <= value && value <= maximum)
    return true;
  return cursor.error(token, what + " must be an integer from " +
                                 llvm::Twine(minimum) + " to " +
                                 llvm::Twine(maximum));
}

} // namespace tessera::emu::parsing
