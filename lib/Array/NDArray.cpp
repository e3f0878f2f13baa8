//===- NDArray.cpp - Arrays on the host -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Access to single elements by type, and conversion between element types.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/NDArray.h"
#include "tessera/Array/Rounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>

using namespace tessera::array;

llvm::Error tessera::array::makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string formatList(llvm::ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return text;
}

std::string tessera::array::formatShape(llvm::ArrayRef<int64_t> shape) {
  return formatList(shape);
}

std::string tessera::array::formatPosition(llvm::ArrayRef<int64_t> shape,
                                           int64_t index) {
  Shape position(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    position[dim] = index % shape[dim];
    index /= shape[dim];
  }
  return formatList(position);
}

llvm::Expected<int64_t>
tessera::array::countElements(llvm::ArrayRef<int64_t> shape) {
  // 2^40 elements exceed the memory of every machine that runs this, and
  // products stay far from overflow.
  constexpr int64_t most = int64_t(1) << 40;
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0)
      return makeError("the extent " + llvm::Twine(extent) + " of shape " +
                       formatShape(shape) + " is negative");
    if (extent > most || (extent != 0 && count > most / extent))
      return makeError("an array of shape " + formatShape(shape) +
                       " is too large");
    count *= extent;
  }
  return count;
}

static int64_t product(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

NDArray::NDArray(ElementType type, llvm::ArrayRef<int64_t> shape)
    : type(type), shape(shape), numElements(product(shape)),
      bytes(numElements * getByteSize(type)) {}

template <typename T>
static T read(const uint8_t *bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static void write(uint8_t *bytes, int64_t index, T value) {
  std::memcpy(bytes + index * sizeof(T), &value, sizeof(T));
}

double NDArray::getFloat(int64_t index) const {
  switch (type) {
  case ElementType::F64:
    return read<double>(bytes.data(), index);
  case ElementType::F32:
    return read<float>(bytes.data(), index);
  case ElementType::F16:
  case ElementType::BF16:
    return decode(type, read<uint16_t>(bytes.data(), index));
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return decode(type, bytes[index]);
  case ElementType::U64:
    return static_cast<double>(read<uint64_t>(bytes.data(), index));
  default:
    return static_cast<double>(getInteger(index));
  }
}

int64_t NDArray::getInteger(int64_t index) const {
  switch (type) {
  case ElementType::I1:
  case ElementType::U8:
    return bytes[index];
  case ElementType::I8:
    return read<int8_t>(bytes.data(), index);
  case ElementType::I16:
    return read<int16_t>(bytes.data(), index);
  case ElementType::U16:
    return read<uint16_t>(bytes.data(), index);
  case ElementType::I32:
    return read<int32_t>(bytes.data(), index);
  case ElementType::U32:
    return read<uint32_t>(bytes.data(), index);
  case ElementType::I64:
  case ElementType::U64:
    return read<int64_t>(bytes.data(), index);
  default:
    assert(false && "integers of a float array");
    return 0;
  }
}

std::string NDArray::formatInteger(int64_t index) const {
  int64_t value = getInteger(index);
  return type == ElementType::U64 ? std::to_string(static_cast<uint64_t>(value))
                                  : std::to_string(value);
}

void NDArray::setFloat(int64_t index, double value) {
  switch (type) {
  case ElementType::F64:
    return write(bytes.data(), index, value);
  case ElementType::F32:
    return write(bytes.data(), index, static_cast<float>(value));
  case ElementType::F16:
  case ElementType::BF16:
    return write<uint16_t>(bytes.data(), index,
                           encode(type, roundTo(type, value)));
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    bytes[index] = encode(type, roundTo(type, value));
    return;
  default:
    assert(false && "a float into an integer array");
  }
}

void NDArray::setInteger(int64_t index, int64_t value) {
  switch (type) {
  case ElementType::I1:
    bytes[index] = value & 1;
    return;
  case ElementType::I8:
  case ElementType::U8:
    return write<uint8_t>(bytes.data(), index, value);
  case ElementType::I16:
  case ElementType::U16:
    return write<uint16_t>(bytes.data(), index, value);
  case ElementType::I32:
  case ElementType::U32:
    return write<uint32_t>(bytes.data(), index, value);
  case ElementType::I64:
  case ElementType::U64:
    return write(bytes.data(), index, value);
  default:
    return setFloat(index, static_cast<double>(value));
  }
}

llvm::Expected<NDArray> NDArray::convertTo(ElementType target) const {
  if (target == type)
    return *this;
  if (isFloat(target) != isFloat(type))
    return makeError("an array of " + getSourceName(type) +
                     " does not convert to " + getSourceName(target));
  NDArray result(target, shape);
  for (int64_t i = 0; i < numElements; ++i) {
    if (isFloat(target)) {
      result.setFloat(i, getFloat(i));
      continue;
    }
    int64_t value = getInteger(i);
    // As int64_t a U64 from 2^63 on is negative, and only a U64 can hold it.
    bool isHuge = type == ElementType::U64 && value < 0;
    if (isHuge || value < getMinInteger(target) ||
        value > getMaxInteger(target))
      return makeError("element " + formatPosition(shape, i) + " is " +
                       formatInteger(i) + ", which " + getSourceName(target) +
                       " cannot hold");
    result.setInteger(i, value);
  }
  return result;
}
