//===- Tile.h - Tiles as the interpreter holds them -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile, or a scalar as a tile of rank 0: an element type, a shape and the
// elements. All float types are held as f32 and all integers as int64_t, always
// as values of their element type: whoever computes rounds or wraps the result.
// This makes one loop serve every type.
//
// Tiles are values. Copies share their elements until one of them is changed.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_TILE_H
#define TESSERA_INTERPRETER_TILE_H

#include "tessera/Array/ElementType.h"
#include "tessera/Array/NDArray.h"
#include "tessera/Support/LLVM.h"

#include <memory>
#include <variant>
#include <vector>

namespace tessera::interp {

using array::ElementType;
using array::Shape;

/// The element type that holds values of `type`, a scalar type of the tile
/// dialect or `index` (which is held as i64); nothing for any other type.
std::optional<ElementType> getElementType(Type type);

/// The number of bits of an integer type.
unsigned getBitWidth(ElementType type);

/// The value that the low bits of `bits` stand for, sign-extended; i1 is 0 or
/// 1.
inline int64_t wrap(ElementType type, int64_t bits) {
  switch (type) {
  case ElementType::I1:
    return bits & 1;
  case ElementType::I8:
    return static_cast<int8_t>(bits);
  case ElementType::I32:
    return static_cast<int32_t>(bits);
  default:
    return bits;
  }
}

/// The value of an integer as signed (a true i1 is -1) or unsigned number.
inline int64_t asSigned(ElementType type, int64_t value) {
  return type == ElementType::I1 ? -value : value;
}
inline uint64_t asUnsigned(ElementType type, int64_t value) {
  switch (type) {
  case ElementType::I8:
    return static_cast<uint8_t>(value);
  case ElementType::I32:
    return static_cast<uint32_t>(value);
  default:
    return value;
  }
}

class Tile {
public:
  Tile() = default;
  /// A tile of zeros.
  Tile(ElementType type, ArrayRef<int64_t> shape);
  static Tile getFloat(ElementType type, float value);
  static Tile getInteger(ElementType type, int64_t value);
  /// The elements of a host array, whose type must be one of the dialect's.
  static Tile fromArray(const array::NDArray &source);

  ElementType getType() const { return type; }
  bool isFloat() const { return array::isFloat(type); }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }

  ArrayRef<float> floats() const { return std::get<Floats>(*elements); }
  ArrayRef<int64_t> integers() const { return std::get<Integers>(*elements); }

  /// The elements for writing; other tiles that shared them are not changed.
  MutableArrayRef<float> mutableFloats();
  MutableArrayRef<int64_t> mutableIntegers();

  /// The only element of a scalar.
  int64_t getInteger() const { return integers().front(); }
  float getFloat() const { return floats().front(); }

  /// Rounds or wraps all elements to the element type.
  void normalize();

  /// The same elements in another shape of as many elements.
  Tile reshape(ArrayRef<int64_t> newShape) const;

  /// The bits of element `index`, as they would lie in memory.
  uint64_t getBits(int64_t index) const;
  void setBits(int64_t index, uint64_t bits);

private:
  using Floats = std::vector<float>;
  using Integers = std::vector<int64_t>;
  using Elements = std::variant<Floats, Integers>;

  void detach();

  ElementType type = ElementType::F32;
  Shape shape;
  int64_t numElements = 0;
  std::shared_ptr<Elements> elements;
};

/// Whether two floats are one value: equal, or both NaN. Zeros differ by sign.
bool isSameValue(float lhs, float rhs);

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_TILE_H
