//===- Tile.cpp - Values of tiles -------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Storage of tiles, and conversions to and from bits. Elements are shared
// between copies, and copied before the first write.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/Tile.h"

#include "tessera/Dialect/Tile/IR/ArrayElement.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace tessera;
using namespace tessera::interp;

std::optional<ElementType> interp::getElementType(Type type) {
  return type.isIndex() ? ElementType::I64 : tile::getArrayElement(type);
}

unsigned interp::getBitWidth(ElementType type) {
  return type == ElementType::I1 ? 1 : 8 * array::getByteSize(type);
}

Tile::Tile(ElementType type, ArrayRef<int64_t> shape)
    : type(type), shape(shape), numElements(1) {
  for (int64_t extent : shape)
    numElements *= extent;
  visitNumbers(type, [&](auto number) {
    elements =
        std::make_shared<Elements>(std::vector<decltype(number)>(numElements));
  });
}

Tile Tile::getFloat(ElementType type, double value) {
  Tile tile(type, {});
  visitFloats(type, [&](auto number) {
    tile.getMutable<decltype(number)>().front() = value;
  });
  return tile;
}

Tile Tile::getInteger(ElementType type, int64_t value) {
  Tile tile(type, {});
  tile.mutableIntegers().front() = value;
  return tile;
}

Tile Tile::getPoison(ElementType type) {
  return array::isFloat(type)
             ? getFloat(type, std::numeric_limits<double>::quiet_NaN())
             : getInteger(type, wrap(type, -1));
}

Tile Tile::fromArray(const array::NDArray &source) {
  Tile tile(array::getSigned(source.getType()), source.getShape());
  visitNumbers(tile.getType(), [&](auto number) {
    using T = decltype(number);
    MutableArrayRef<T> out = tile.getMutable<T>();
    for (int64_t i = 0, e = out.size(); i < e; ++i)
      if constexpr (std::is_floating_point_v<T>)
        out[i] = static_cast<T>(source.getFloat(i));
      else
        out[i] = wrap(tile.getType(), source.getInteger(i));
  });
  return tile;
}

void Tile::detach() {
  if (elements.use_count() > 1)
    elements = std::make_shared<Elements>(*elements);
}

double Tile::getFloat(int64_t index) const {
  return visitFloats(type, [&](auto number) -> double {
    return get<decltype(number)>()[index];
  });
}

Tile Tile::getElement(int64_t index) const {
  Tile scalar(type, {});
  visitNumbers(type, [&](auto number) {
    using T = decltype(number);
    scalar.getMutable<T>().front() = get<T>()[index];
  });
  return scalar;
}

void Tile::setElement(int64_t index, const Tile &scalar) {
  visitNumbers(type, [&](auto number) {
    using T = decltype(number);
    getMutable<T>()[index] = scalar.get<T>().front();
  });
}

void Tile::fill(const Tile &scalar) {
  visitNumbers(type, [&](auto number) {
    using T = decltype(number);
    llvm::fill(getMutable<T>(), scalar.get<T>().front());
  });
}

void Tile::normalize() {
  if (isFloat()) {
    if (type != ElementType::F32 && type != ElementType::F64)
      array::roundAll(type, getMutable<float>().data(), numElements);
    return;
  }
  if (type == ElementType::I64)
    return;
  for (int64_t &value : mutableIntegers())
    value = wrap(type, value);
}

Tile Tile::reshape(ArrayRef<int64_t> newShape) const {
  Tile result = *this;
  result.shape = Shape(newShape);
  return result;
}

uint64_t Tile::getBits(int64_t index) const {
  if (type == ElementType::F64)
    return llvm::bit_cast<uint64_t>(get<double>()[index]);
  if (isFloat())
    return array::encode(type, get<float>()[index]);
  return asUnsigned(type, integers()[index]);
}

void Tile::setBits(int64_t index, uint64_t bits) {
  if (type == ElementType::F64)
    getMutable<double>()[index] = llvm::bit_cast<double>(bits);
  else if (isFloat())
    getMutable<float>()[index] =
        array::decode(type, static_cast<uint32_t>(bits));
  else
    mutableIntegers()[index] = wrap(type, static_cast<int64_t>(bits));
}

bool Tile::hasSameBits(const Tile &other) const {
  if (elements == other.elements)
    return true;
  return visitNumbers(type, [&](auto number) {
    using T = decltype(number);
    ArrayRef<T> values = get<T>(), others = other.get<T>();
    return values.size() == others.size() &&
           std::memcmp(values.data(), others.data(),
                       values.size() * sizeof(T)) == 0;
  });
}

bool interp::isSameValue(float lhs, float rhs) {
  return array::getBits(lhs) == array::getBits(rhs) ||
         (std::isnan(lhs) && std::isnan(rhs));
}

bool interp::isSameValue(double lhs, double rhs) {
  return llvm::bit_cast<uint64_t>(lhs) == llvm::bit_cast<uint64_t>(rhs) ||
         (std::isnan(lhs) && std::isnan(rhs));
}
