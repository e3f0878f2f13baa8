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

#include "tessera/Array/Rounding.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace tessera;
using namespace tessera::interp;

std::optional<ElementType> interp::getElementType(Type type) {
  if (type.isF32())
    return ElementType::F32;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (isa<Float8E4M3FNType>(type))
    return ElementType::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return ElementType::F8E5M2;
  if (type.isSignlessInteger(1))
    return ElementType::I1;
  if (type.isSignlessInteger(8))
    return ElementType::I8;
  if (type.isSignlessInteger(16))
    return ElementType::I16;
  if (type.isSignlessInteger(32))
    return ElementType::I32;
  if (type.isSignlessInteger(64) || type.isIndex())
    return ElementType::I64;
  // The declared types of tensors.
  if (type.isUnsignedInteger(8))
    return ElementType::U8;
  if (type.isUnsignedInteger(16))
    return ElementType::U16;
  if (type.isUnsignedInteger(32))
    return ElementType::U32;
  if (type.isUnsignedInteger(64))
    return ElementType::U64;
  return std::nullopt;
}

unsigned interp::getBitWidth(ElementType type) {
  return type == ElementType::I1 ? 1 : 8 * array::getByteSize(type);
}

Tile::Tile(ElementType type, ArrayRef<int64_t> shape)
    : type(type), shape(shape), numElements(1) {
  for (int64_t extent : shape)
    numElements *= extent;
  if (isFloat())
    elements = std::make_shared<Elements>(Floats(numElements));
  else
    elements = std::make_shared<Elements>(Integers(numElements));
}

Tile Tile::getFloat(ElementType type, float value) {
  Tile tile(type, {});
  tile.mutableFloats().front() = value;
  return tile;
}

Tile Tile::getInteger(ElementType type, int64_t value) {
  Tile tile(type, {});
  tile.mutableIntegers().front() = value;
  return tile;
}

Tile Tile::fromArray(const array::NDArray &source) {
  Tile tile(array::getSigned(source.getType()), source.getShape());
  if (tile.isFloat()) {
    MutableArrayRef<float> out = tile.mutableFloats();
    for (int64_t i = 0, e = out.size(); i < e; ++i)
      out[i] = static_cast<float>(source.getFloat(i));
  } else {
    MutableArrayRef<int64_t> out = tile.mutableIntegers();
    for (int64_t i = 0, e = out.size(); i < e; ++i)
      out[i] = wrap(tile.getType(), source.getInteger(i));
  }
  return tile;
}

void Tile::detach() {
  if (elements.use_count() > 1)
    elements = std::make_shared<Elements>(*elements);
}

MutableArrayRef<float> Tile::mutableFloats() {
  detach();
  return std::get<Floats>(*elements);
}

MutableArrayRef<int64_t> Tile::mutableIntegers() {
  detach();
  return std::get<Integers>(*elements);
}

void Tile::normalize() {
  if (isFloat()) {
    if (type != ElementType::F32)
      array::roundAll(type, mutableFloats().data(), numElements);
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
  if (isFloat())
    return array::encode(type, floats()[index]);
  return asUnsigned(type, integers()[index]);
}

void Tile::setBits(int64_t index, uint64_t bits) {
  if (isFloat())
    mutableFloats()[index] = array::decode(type, static_cast<uint32_t>(bits));
  else
    mutableIntegers()[index] = wrap(type, static_cast<int64_t>(bits));
}

bool interp::isSameValue(float lhs, float rhs) {
  return array::getBits(lhs) == array::getBits(rhs) ||
         (std::isnan(lhs) && std::isnan(rhs));
}
