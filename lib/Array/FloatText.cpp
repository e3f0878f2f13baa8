//===- FloatText.cpp - Floats written in decimal ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: read a decimal of any length in linear time, rounded correctly.
//
// Method: shorten long text before LLVM reads it. A double, and the midpoint of
// two doubles, has at most 768 significant digits. A number therefore rounds
// like its first 768 digits, followed by a 1 if any later digit is not zero (a
// sticky digit).
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/FloatText.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <string>

using namespace tessera;
using llvm::StringRef;

/// LLVM reads text up to this length unchanged.
static constexpr size_t kMaxPlainLength = 256;

/// Number of significant digits that determine the rounding.
static constexpr size_t kMaxDigits = 768;

/// A number 0.DIGITS with an exponent above this is zero or infinity.
static constexpr int64_t kMaxExponent = 100000;

/// An exponent above this outweighs all digits that a text can have.
static constexpr int64_t kMaxWrittenExponent = int64_t(1) << 50;

/// Removes the leading digits of `text`, and returns them.
static StringRef takeDigits(StringRef &text) {
  StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  return digits;
}

/// Reads the exponent `text`, which is empty or begins with `e`, limited to
/// +-kMaxWrittenExponent. Returns nothing if it is not an exponent.
static std::optional<int64_t> readExponent(StringRef text) {
  if (text.empty())
    return 0;
  if (!text.consume_front_insensitive("e"))
    return std::nullopt;
  bool isNegative = text.consume_front("-");
  if (!isNegative)
    text.consume_front("+");
  if (text.empty() || !llvm::all_of(text, llvm::isDigit))
    return std::nullopt;
  int64_t exponent = 0;
  for (char digit : text)
    exponent = std::min(exponent * 10 + (digit - '0'), kMaxWrittenExponent);
  return isNegative ? -exponent : exponent;
}

/// Shortens `text` to "0.DIGITSeEXPONENT". Returns nothing if it is not a
/// decimal number.
static std::optional<std::string> shorten(StringRef text) {
  std::string result = text.consume_front("-") ? "-0." : "0.";
  if (result[0] != '-')
    text.consume_front("+");
  StringRef whole = takeDigits(text), fraction;
  if (text.consume_front("."))
    fraction = takeDigits(text);
  std::optional<int64_t> exponent = readExponent(text);
  if ((whole.empty() && fraction.empty()) || !exponent)
    return std::nullopt;

  whole = whole.ltrim('0');
  int64_t scale = whole.size();
  if (whole.empty()) {
    size_t digits = fraction.size();
    fraction = fraction.ltrim('0');
    scale = int64_t(fraction.size()) - int64_t(digits);
  }
  StringRef first = whole.take_front(kMaxDigits);
  StringRef second = fraction.take_front(kMaxDigits - first.size());
  bool isInexact =
      whole.find_first_not_of('0', first.size()) != StringRef::npos ||
      fraction.find_first_not_of('0', second.size()) != StringRef::npos;
  result += first;
  result += second;
  result += isInexact ? "1" : "0";
  return result + "e" +
         std::to_string(
             std::clamp(scale + *exponent, -kMaxExponent, kMaxExponent));
}

std::optional<size_t> array::findLongFloat(StringRef text) {
  constexpr size_t maxLength = 10000;
  for (StringRef rest = text; !rest.empty();) {
    rest = rest.drop_until(llvm::isDigit);
    StringRef number =
        rest.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
    rest = rest.drop_front(number.size());
    // Digits without a point are an integer, or the bytes of a constant.
    if (number.size() > maxLength && number.contains('.'))
      return number.data() - text.data();
  }
  return std::nullopt;
}

std::optional<double> array::readFloat(StringRef text) {
  // LLVM ignores an exponent without digits.
  StringRef magnitude =
      text.starts_with("-") || text.starts_with("+") ? text.drop_front() : text;
  auto isPart = [](char c) { return llvm::isDigit(c) || c == '.'; };
  if (magnitude.empty() ||
      (isPart(magnitude.front()) && !isPart(magnitude.back())))
    return std::nullopt;
  std::string shortened;
  if (text.size() > kMaxPlainLength) {
    std::optional<std::string> result = shorten(text);
    if (!result)
      return std::nullopt;
    shortened = std::move(*result);
    text = shortened;
  }
  double value;
  if (text.getAsDouble(value))
    return std::nullopt;
  return value;
}
