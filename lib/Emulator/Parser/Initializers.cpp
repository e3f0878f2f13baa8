//===- Initializers.cpp - Initial values of variables ---------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive-descent parser of initial values, one level of braces for each
// dimension of the array. Each element is encoded to bytes at its offset;
// missing elements stay zero. Addresses are skipped and noted, since they are
// not supported. An array without an outermost size gets the number of its
// elements.
//
//===----------------------------------------------------------------------===//

#include "Initializers.h"

#include "Expressions.h"

#include "llvm/ADT/bit.h"

namespace tessera::emu::parsing {

/// Maximum size of initial values: an element near the end of a huge array
/// would create all bytes before it.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 28;

namespace {

class InitializerParser {
public:
  InitializerParser(Cursor &cursor, Shape &shape, std::vector<uint8_t> &bytes)
      : cursor(cursor), shape(shape), bytes(bytes) {}

  bool parse(unsigned dimension, uint64_t offset);

private:
  bool parseElement(uint64_t offset);
  void skipAddress();
  bool encode(const Token &at, const Constant &constant, uint64_t &bits);
  uint64_t getStride(unsigned dimension) const;

  Cursor &cursor;
  Shape &shape;
  std::vector<uint8_t> &bytes;
};

} // namespace

/// Returns the bytes from one element of the dimension to the next.
uint64_t InitializerParser::getStride(unsigned dimension) const {
  uint64_t stride = getBytes(shape.type);
  for (uint64_t size : llvm::drop_begin(shape.sizes, dimension + 1))
    stride *= size;
  return stride;
}

/// Encodes a constant. Values of bit types may be floating point: f32 in 32
/// bits, f64 in 64. Bits of another format are refused; ptxas accepts some of
/// them, without rounding.
bool InitializerParser::encode(const Token &at, const Constant &constant,
                               uint64_t &bits) {
  Type type = shape.type;
  bool isSingle = type == Type::F32 || type == Type::B32;
  bool isDouble = type == Type::F64 || type == Type::B64;
  bits = constant.bits;
  if (constant.isInteger() && !isFloat(type))
    return true;
  if (constant.kind == Constant::Single && isSingle)
    return true;
  if (constant.isInteger() || constant.kind == Constant::Single ||
      (!isSingle && !isDouble))
    return cursor.error(at, "'" + at.text +
                                "' cannot be the initial value of "
                                "a variable of type ." +
                                toString(type));
  if (isSingle)
    bits = llvm::bit_cast<uint32_t>(
        static_cast<float>(llvm::bit_cast<double>(bits)));
  return true;
}

/// Skips `generic(name)+4`, or `0xFF00(name)` for one byte of it.
void InitializerParser::skipAddress() {
  shape.hasAddresses = true;
  unsigned depth = 0;
  for (; !cursor.isEnd() && !cursor.is(";"); cursor.advance()) {
    if (cursor.is("("))
      ++depth;
    else if (cursor.is(")"))
      depth -= depth != 0;
    else if (depth == 0 && (cursor.is(",") || cursor.is("}")))
      break;
  }
}

bool InitializerParser::parseElement(uint64_t offset) {
  Token start = cursor.get();
  bool isMask = start.kind == Token::Number && cursor.peek().is("(");
  if ((start.kind == Token::Identifier && start.text != "WARP_SZ") || isMask) {
    skipAddress();
    return true;
  }
  Constant constant;
  uint64_t bits = 0;
  if (!startsExpression(start))
    return cursor.errorExpected("an initial value");
  if (!parseExpression(cursor, constant) || !encode(start, constant, bits))
    return false;
  unsigned size = getBytes(shape.type);
  if (offset + size > kMaxBytes)
    return cursor.error(start, "initial value is too long");
  if (bytes.size() < offset + size)
    bytes.resize(offset + size);
  // Upper bits are dropped (".u8 x = 300"); the upper bits of 128 are copies of
  // the sign.
  for (unsigned i = 0; i < size; ++i) {
    bool isExtension = i >= 8;
    bool isNegative = constant.kind == Constant::Signed && (bits >> 63);
    bytes[offset + i] =
        isExtension ? (isNegative ? 0xFF : 0) : (bits >> (8 * i)) & 0xFF;
  }
  return true;
}

bool InitializerParser::parse(unsigned dimension, uint64_t offset) {
  if (dimension == shape.sizes.size())
    return parseElement(offset);
  Token open = cursor.get();
  if (!cursor.expect("{", "'{' before initial values"))
    return false;
  uint64_t count = 0, stride = getStride(dimension);
  bool isGrowing = dimension == 0 && shape.isUnsized;
  do {
    if (!isGrowing && count == shape.sizes[dimension])
      return cursor.error(cursor.get(),
                          "more initial values than the " +
                              llvm::Twine(shape.sizes[dimension]) +
                              " elements here");
    if (!parse(dimension + 1, offset + count * stride))
      return false;
    ++count;
  } while (cursor.consume(","));
  if (!cursor.expect("}", "'}' after initial values"))
    return false;
  if (shape.isVector && dimension + 1 == shape.sizes.size() &&
      count != shape.sizes[dimension])
    return cursor.error(open, "a vector needs " +
                                  llvm::Twine(shape.sizes[dimension]) +
                                  " initial values, not " + llvm::Twine(count));
  if (isGrowing)
    shape.sizes[0] = count;
  return true;
}

bool parseInitializer(Cursor &cursor, Shape &shape,
                      std::vector<uint8_t> &bytes) {
  return InitializerParser(cursor, shape, bytes).parse(0, 0);
}

} // namespace tessera::emu::parsing
