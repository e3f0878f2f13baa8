//===- ArraySpec.cpp - Specifications of arguments --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a specification by its first tokens (a file, a number, or a call of a
// generator with a list of extents), and creates the array. Values are checked
// against the range of the element type before any element is set. Random
// arrays use the stream named by the argument, so they do not depend on other
// arguments.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/ArraySpec.h"
#include "tessera/Array/FloatText.h"
#include "tessera/Array/Generator.h"
#include "tessera/Array/NumpyFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <limits>
#include <optional>

using namespace tessera::array;
using llvm::StringRef;
using llvm::Twine;

static std::optional<Number> parseNumber(StringRef text) {
  Number number;
  number.spelling = text.str();
  if (text == "true" || text == "false") {
    number.isInteger = true;
    number.integer = text == "true";
    number.real = double(number.integer);
    return number;
  }
  StringRef magnitude = text;
  bool negative = magnitude.consume_front("-");
  if (!negative)
    magnitude.consume_front("+");
  if (magnitude == "inf" || magnitude == "nan") {
    number.real = magnitude == "inf" ? std::numeric_limits<double>::infinity()
                                     : std::numeric_limits<double>::quiet_NaN();
    number.real = negative ? -number.real : number.real;
    return number;
  }
  if (magnitude.empty() ||
      !(llvm::isDigit(magnitude[0]) || magnitude[0] == '.'))
    return std::nullopt;
  if (!text.getAsInteger(10, number.integer) ||
      (text.starts_with("+") && !magnitude.getAsInteger(10, number.integer))) {
    number.isInteger = true;
    number.real = static_cast<double>(number.integer);
    return number;
  }
  if (llvm::all_of(magnitude, llvm::isDigit)) // an integer of more than 64 bits
    return std::nullopt;
  std::optional<double> real = readFloat(text);
  if (!real)
    return std::nullopt;
  number.real = *real;
  return number;
}

/// Parses the extents `items` of the generator `name`.
static llvm::Error parseShape(StringRef name, llvm::ArrayRef<StringRef> items,
                              Shape &shape) {
  for (StringRef item : items) {
    int64_t extent;
    if (item.getAsInteger(10, extent) || extent < 0)
      return makeError("an extent of '" + name +
                       "' is a non-negative integer, but got '" + item + "'");
    shape.push_back(extent);
  }
  llvm::Expected<int64_t> count = countElements(shape);
  return count ? llvm::Error::success() : count.takeError();
}

static llvm::Error parseCall(StringRef name, llvm::ArrayRef<StringRef> items,
                             ArraySpec &spec) {
  using Kind = ArraySpec::Kind;
  auto kind = llvm::StringSwitch<std::optional<Kind>>(name)
                  .Case("randn", Kind::Normal)
                  .Case("rand", Kind::Uniform)
                  .Case("randint", Kind::Integers)
                  .Cases({"zeros", "ones", "full"}, Kind::Full)
                  .Case("arange", Kind::Sequence)
                  .Case("", Kind::Shape)
                  .Default(std::nullopt);
  if (!kind)
    return makeError(
        "unknown generator '" + name +
        "'; expected randn, rand, randint, zeros, ones, full or arange");
  spec.kind = *kind;
  switch (spec.kind) {
  case Kind::Integers:
    if (items.size() < 2 || items[0].getAsInteger(10, spec.low) ||
        items[1].getAsInteger(10, spec.high) || spec.low >= spec.high)
      return makeError(
          "'randint' needs two integers lo < hi before its extents, as in "
          "randint(0, 10, 64)");
    items = items.drop_front(2);
    break;
  case Kind::Full:
    spec.value.isInteger = true;
    spec.value.integer = name == "ones";
    spec.value.real = double(spec.value.integer);
    spec.value.spelling = name == "ones" ? "1" : "0";
    if (name != "full")
      break;
    if (std::optional<Number> value =
            items.empty() ? std::nullopt : parseNumber(items.front())) {
      spec.value = *value;
      items = items.drop_front();
      break;
    }
    return makeError(
        "'full' needs a number before its extents, as in full(0.5, 64)");
  case Kind::Sequence:
    if (items.size() != 1)
      return makeError("'arange' needs one extent, as in arange(64)");
    break;
  default:
    break;
  }
  return parseShape(name.empty() ? "a shape" : name, items, spec.shape);
}

llvm::Expected<ArraySpec> ArraySpec::parse(StringRef text) {
  ArraySpec spec;
  text = text.trim();
  spec.text = text.str();
  StringRef rest = text;
  if (rest.consume_front("@") || rest.ends_with(".npy")) {
    if (rest.empty())
      return makeError("expected a file name after '@'");
    spec.kind = Kind::File;
    spec.path = rest.str();
    return spec;
  }
  if (std::optional<Number> number = parseNumber(text)) {
    spec.value = *number;
    return spec;
  }
  if (text.starts_with("["))
    return makeError("a list such as '" + text +
                     "' is not an array; save it with numpy.save and give the "
                     "file, as in 'y=y.npy'");
  size_t open = text.find('(');
  if (open == StringRef::npos || !text.ends_with(")"))
    return makeError(
        "expected '@file.npy', a generator such as 'randn(2, 64)' or a "
        "number, but got '" +
        text + "'");
  llvm::SmallVector<StringRef> items;
  StringRef inner = text.slice(open + 1, text.size() - 1).trim();
  if (!inner.empty())
    inner.split(items, ',');
  for (StringRef &item : items)
    item = item.trim();
  // Python writes the tuple of one extent as (7,).
  if (items.size() > 1 && items.back().empty())
    items.pop_back();
  if (llvm::Error error = parseCall(text.take_front(open).trim(), items, spec))
    return std::move(error);
  return spec;
}

/// Sets each element of a float array, or of an integer array, by calling
/// `next`.
template <typename Next>
static void fill(NDArray &array, Next next) {
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    auto value = next(i);
    if constexpr (std::is_integral_v<decltype(value)>)
      array.setInteger(i, value);
    else
      array.setFloat(i, value);
  }
}

/// Checks that the integers from `low` to `high` are values of `type`.
static llvm::Error checkIntegers(ElementType type, int64_t low, int64_t high) {
  if (isFloat(type) ||
      (low >= getMinInteger(type) && high <= getMaxInteger(type)))
    return llvm::Error::success();
  return makeError(Twine(low < getMinInteger(type) ? low : high) +
                   " is out of the range of " + getSourceName(type));
}

llvm::Expected<NDArray> ArraySpec::materialize(ElementType type, uint64_t seed,
                                               StringRef name) const {
  if (kind == Kind::File) {
    llvm::Expected<NDArray> array = readNumpyFile(path);
    if (!array)
      return array.takeError();
    return array->convertTo(type);
  }
  if (llvm::Expected<int64_t> count = countElements(shape); !count)
    return count.takeError();
  if ((kind == Kind::Normal || kind == Kind::Uniform) && !isFloat(type))
    return makeError("'" + Twine(text) +
                     "' makes floats, but the elements are " +
                     getSourceName(type) + "; use randint(lo, hi, …)");

  NDArray array(type, shape);
  Generator generator(seed, name);
  switch (kind) {
  case Kind::Normal:
    fill(array, [&](int64_t) { return generator.nextNormal(); });
    break;
  case Kind::Uniform:
    fill(array, [&](int64_t) { return generator.nextUniform(); });
    break;
  case Kind::Integers:
    if (llvm::Error error = checkIntegers(type, low, high - 1))
      return std::move(error);
    fill(array, [&](int64_t) { return generator.nextInteger(low, high); });
    break;
  case Kind::Sequence:
    if (llvm::Error error = checkIntegers(type, 0, shape[0] - (shape[0] > 0)))
      return std::move(error);
    fill(array, [&](int64_t i) { return i; });
    break;
  case Kind::Full:
  case Kind::Scalar:
    if (isFloat(type)) {
      fill(array, [&](int64_t) { return value.real; });
      break;
    }
    if (!value.isInteger)
      return makeError("'" + Twine(value.spelling) + "' is not a value of " +
                       getSourceName(type));
    if (llvm::Error error = checkIntegers(type, value.integer, value.integer))
      return std::move(error);
    fill(array, [&](int64_t) { return value.integer; });
    break;
  case Kind::Shape:
  case Kind::File:
    break;
  }
  return array;
}
