//===- NumpyFile.cpp - NumPy's .npy files -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .npy file begins with the magic "\x93NUMPY", two version bytes, and the
// length of the header (two bytes in version 1, four in versions 2 and 3). The
// header is the literal of a Python dictionary with the keys 'descr',
// 'fortran_order' and 'shape'. The elements follow.
//
// A recursive-descent parser accepts only the literals that NumPy writes. The
// number of bytes must match the shape exactly.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/NumpyFile.h"

#include "tessera/Array/OutputFile.h"
#include "tessera/Array/Rounding.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace tessera::array;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// The contents of a .npy header.
struct Header {
  std::string description;
  bool fortranOrder = false;
  Shape shape;
};

/// Parses the Python dictionary of a header, with the few literals that it may
/// contain.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : text(text) {}

  llvm::Expected<Header> parse();

private:
  void skipSpace() { text = text.ltrim(" \t\r\n"); }
  bool take(StringRef token) {
    skipSpace();
    return text.consume_front(token);
  }
  bool parseString(std::string &result);
  bool parseShape(Shape &shape);

  StringRef text;
};

bool HeaderParser::parseString(std::string &result) {
  skipSpace();
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return false;
  size_t end = text.find(text[0], 1);
  if (end == StringRef::npos)
    return false;
  result = text.slice(1, end).str();
  text = text.drop_front(end + 1);
  return true;
}

bool HeaderParser::parseShape(Shape &shape) {
  if (!take("("))
    return false;
  while (!take(")")) {
    skipSpace();
    int64_t extent;
    if (text.consumeInteger(10, extent) || extent < 0)
      return false;
    text.consume_front("L"); // suffix of Python 2
    shape.push_back(extent);
    if (shape.size() > 32)
      return false;
    if (!take(",")) {
      if (!take(")"))
        return false;
      break;
    }
  }
  return true;
}

llvm::Expected<Header> HeaderParser::parse() {
  Header header;
  bool hasDescription = false, hasOrder = false, hasShape = false;
  if (!take("{"))
    return makeError("its header is not a dictionary");
  while (!take("}")) {
    std::string key;
    if (!parseString(key) || !take(":"))
      return makeError("its header is malformed");
    bool good = true;
    if (key == "descr") {
      skipSpace();
      if (text.starts_with("["))
        return makeError("it holds records, not numbers");
      good = hasDescription = parseString(header.description);
    } else if (key == "fortran_order") {
      header.fortranOrder = take("True");
      good = hasOrder = header.fortranOrder || take("False");
    } else if (key == "shape") {
      good = !hasShape && parseShape(header.shape);
      hasShape = true;
    } else {
      return makeError("its header has the unknown key '" + Twine(key) + "'");
    }
    if (!good)
      return makeError("'" + Twine(key) + "' in its header is malformed");
    if (!take(",")) {
      if (!take("}"))
        return makeError("its header is malformed");
      break;
    }
  }
  if (!hasDescription || !hasOrder || !hasShape)
    return makeError("its header lacks 'descr', 'fortran_order' or 'shape'");
  return header;
}

/// The representation of the elements in the file.
struct Description {
  StringRef name;
  ElementType type;
};

const Description descriptions[] = {
    {"<f8", ElementType::F64}, {"<f4", ElementType::F32},
    {"<f2", ElementType::F16}, {"|b1", ElementType::I1},
    {"|i1", ElementType::I8},  {"<i2", ElementType::I16},
    {"<i4", ElementType::I32}, {"<i8", ElementType::I64},
    {"|u1", ElementType::U8},  {"<u2", ElementType::U16},
    {"<u4", ElementType::U32}, {"<u8", ElementType::U64},
};

} // namespace

static llvm::Expected<ElementType> getElementType(StringRef description) {
  for (const Description &known : descriptions)
    if (known.name == description ||
        (known.name[0] == '|' && description.size() == 3 &&
         StringRef("<>=").contains(description[0]) &&
         known.name.drop_front() == description.drop_front()))
      return known.type;
  if (description.starts_with(">"))
    return makeError("its elements are big-endian ('" + Twine(description) +
                     "'); convert them by .astype('<" +
                     description.drop_front() + "') before np.save");
  return makeError(
      "its element type '" + Twine(description) +
      "' is not supported; expected one of f2, f4, f8, b1, i1, i2, i4, i8, "
      "u1, u2, u4, u8");
}

/// Copies elements from Fortran order (first dimension fastest) to row-major
/// order.
static void transposeFortran(const uint8_t *source, NDArray &array) {
  unsigned size = getByteSize(array.getType());
  llvm::ArrayRef<int64_t> shape = array.getShape();
  Shape position(shape.size(), 0), strides(shape.size());
  int64_t stride = 1;
  for (auto [extent, out] : llvm::zip(shape, strides)) {
    out = stride;
    stride *= extent;
  }
  int64_t offset = 0;
  for (int64_t i = 0, e = array.getNumElements(); i < e; ++i) {
    std::memcpy(array.getBytes() + i * size, source + offset * size, size);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      offset += strides[dim];
      if (++position[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      position[dim] = 0;
    }
  }
}

llvm::Expected<NDArray> tessera::array::parseNumpy(StringRef contents) {
  if (!contents.consume_front("\x93NUMPY"))
    return makeError("it is not a .npy file (wrong magic number)");
  if (contents.size() < 4)
    return makeError("it ends within its header");
  unsigned version = uint8_t(contents[0]);
  if (version < 1 || version > 3)
    return makeError("its format version " + Twine(version) +
                     " is not supported; expected 1, 2 or 3");
  contents = contents.drop_front(2);
  unsigned lengthBytes = version == 1 ? 2 : 4;
  if (contents.size() < lengthBytes)
    return makeError("it ends within its header");
  uint64_t length = version == 1
                        ? llvm::support::endian::read16le(contents.data())
                        : llvm::support::endian::read32le(contents.data());
  contents = contents.drop_front(lengthBytes);
  if (contents.size() < length)
    return makeError("it ends within its header");

  llvm::Expected<Header> header =
      HeaderParser(contents.take_front(length)).parse();
  if (!header)
    return header.takeError();
  contents = contents.drop_front(length);
  llvm::Expected<ElementType> type = getElementType(header->description);
  if (!type)
    return type.takeError();
  llvm::Expected<int64_t> count = countElements(header->shape);
  if (!count)
    return count.takeError();
  uint64_t expected = uint64_t(*count) * getByteSize(*type);
  if (contents.size() < expected)
    return makeError("it is truncated: shape " + formatShape(header->shape) +
                     " of '" + header->description + "' needs " +
                     Twine(expected) + " bytes of elements, but it has " +
                     Twine(contents.size()));
  if (contents.size() > expected)
    return makeError("it has " + Twine(contents.size() - expected) +
                     " bytes after its last element");

  NDArray array(*type, header->shape);
  const auto *source = reinterpret_cast<const uint8_t *>(contents.data());
  if (header->fortranOrder && header->shape.size() > 1)
    transposeFortran(source, array);
  else if (expected != 0)
    std::memcpy(array.getBytes(), source, expected);

  for (int64_t i = 0, e = *type == ElementType::I1 ? *count : 0; i < e; ++i)
    array.setInteger(i, array.getInteger(i) != 0);
  return array;
}

llvm::Expected<NDArray> tessera::array::readNumpyFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("cannot read '" + path +
                     "': " + buffer.getError().message());
  llvm::Expected<NDArray> array = parseNumpy((*buffer)->getBuffer());
  if (!array)
    return makeError("cannot read '" + path +
                     "': " + llvm::toString(array.takeError()));
  return array;
}

std::string tessera::array::formatNumpy(const NDArray &array) {
  ElementType type = array.getType();
  if (type == ElementType::F16 || type == ElementType::BF16 ||
      type == ElementType::F8E4M3FN || type == ElementType::F8E5M2) {
    NDArray wide(ElementType::F32, array.getShape());
    for (int64_t i = 0, e = array.getNumElements(); i < e; ++i)
      wide.setFloat(i, array.getFloat(i));
    return formatNumpy(wide);
  }
  std::string header;
  llvm::raw_string_ostream os(header);
  for (const Description &known : descriptions)
    if (known.type == type)
      os << "{'descr': '" << known.name
         << "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.getShape())
    os << extent << ", ";
  os << "), }";
  // The elements start at a multiple of 64 bytes, the header ends in a newline.
  while ((10 + header.size() + 1) % 64 != 0)
    header += ' ';
  header += '\n';

  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(header.size() & 0xff);
  text += char(header.size() >> 8);
  text += header;
  text.append(reinterpret_cast<const char *>(array.getBytes()),
              array.getNumBytes());
  return text;
}

llvm::Error tessera::array::writeNumpyFile(StringRef path,
                                           const NDArray &array) {
  return writeFile(path, formatNumpy(array));
}
