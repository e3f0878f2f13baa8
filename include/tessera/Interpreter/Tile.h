//===- Tile.h - Values of tiles ---------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile, or a scalar as a tile of rank 0: an element type, a shape and the
// elements. Elements of f64 are held as double, those of narrower floats as
// f32, and integers as int64_t. They are always values of their element type:
// each computation rounds or wraps its result. One generic loop serves all
// types.
//
// Tiles are values. Copies share their elements until one of them is changed
// (copy on write).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_TILE_H
#define TESSERA_INTERPRETER_TILE_H

#include "tessera/Array/ElementType.h"
#include "tessera/Array/NDArray.h"
#include "tessera/Array/Rounding.h"
#include "tessera/Support/LLVM.h"

#include <memory>
#include <variant>
#include <vector>

namespace tessera::interp {

using array::ElementType;
using array::Shape;

/// Returns the element type that holds values of `type`, a scalar type of the
/// tile dialect or `index` (held as i64). Returns nothing for other types.
std::optional<ElementType> getElementType(Type type);

/// Returns the number of bits of an integer type.
unsigned getBitWidth(ElementType type);

/// Returns the value of the low bits of `bits`, sign-extended; i1 is 0 or 1.
inline int64_t wrap(ElementType type, int64_t bits) {
  switch (type) {
  case ElementType::I1:
    return bits & 1;
  case ElementType::I8:
    return static_cast<int8_t>(bits);
  case ElementType::I16:
    return static_cast<int16_t>(bits);
  case ElementType::I32:
    return static_cast<int32_t>(bits);
  default:
    return bits;
  }
}

/// Returns the value of an integer as a signed (a true i1 is -1) or unsigned
/// number.
inline int64_t asSigned(ElementType type, int64_t value) {
  return type == ElementType::I1 ? -value : value;
}
inline uint64_t asUnsigned(ElementType type, int64_t value) {
  switch (type) {
  case ElementType::I8:
    return static_cast<uint8_t>(value);
  case ElementType::I16:
    return static_cast<uint16_t>(value);
  case ElementType::I32:
    return static_cast<uint32_t>(value);
  default:
    return value;
  }
}

/// Calls `visit(T())`, where `T` is the type of the numbers that hold elements
/// of the float type `type` on the host.
template <typename Visit>
decltype(auto) visitFloats(ElementType type, Visit visit) {
  return type == ElementType::F64 ? visit(double()) : visit(float());
}

/// Calls `visit(T())` for any element type.
template <typename Visit>
decltype(auto) visitNumbers(ElementType type, Visit visit) {
  return array::isFloat(type) ? visitFloats(type, visit) : visit(int64_t());
}

/// Returns the value of the float type `type` nearest to `value`, in the type
/// of the numbers that hold it.
template <typename T>
T roundToType(ElementType type, double value) {
  if constexpr (std::is_same_v<T, double>)
    return value;
  else
    return array::roundTo(type, value);
}

class Tile {
public:
  Tile() = default;
  /// Creates a tile of zeros.
  Tile(ElementType type, ArrayRef<int64_t> shape);
  static Tile getFloat(ElementType type, double value);
  static Tile getInteger(ElementType type, int64_t value);
  /// Returns the scalar that memory without contents holds: NaN, or -1.
  static Tile getPoison(ElementType type);
  /// Creates a tile from a host array, whose type must be a type of the
  /// dialect.
  static Tile fromArray(const array::NDArray &source);

  ElementType getType() const { return type; }
  bool isFloat() const { return array::isFloat(type); }
  ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }

  /// Returns the elements. `T` is the type of the numbers that hold them, as
  /// `visitNumbers` finds it.
  template <typename T>
  ArrayRef<T> get() const {
    return std::get<std::vector<T>>(*elements);
  }
  ArrayRef<int64_t> integers() const { return get<int64_t>(); }

  /// Returns the elements for writing. Other tiles that shared them do not
  /// change.
  template <typename T>
  MutableArrayRef<T> getMutable() {
    detach();
    return std::get<std::vector<T>>(*elements);
  }
  MutableArrayRef<int64_t> mutableIntegers() { return getMutable<int64_t>(); }

  /// Returns the only element of a scalar.
  int64_t getInteger() const { return integers().front(); }
  double getFloat() const { return getFloat(0); }
  /// Returns element `index` of a tile of floats.
  double getFloat(int64_t index) const;
  /// Returns element `index` as a scalar.
  Tile getElement(int64_t index) const;
  /// Sets element `index` to a scalar of the same type.
  void setElement(int64_t index, const Tile &scalar);
  /// Sets all elements to a scalar of the same type.
  void fill(const Tile &scalar);

  /// Rounds or wraps all elements to the element type.
  void normalize();

  /// Returns the same elements in another shape with an equal number of
  /// elements.
  Tile reshape(ArrayRef<int64_t> newShape) const;

  /// Returns or sets the bits of element `index`, as in memory.
  uint64_t getBits(int64_t index) const;
  void setBits(int64_t index, uint64_t bits);

  /// Checks whether a tile of the same type and shape has the same elements, to
  /// the bit.
  bool hasSameBits(const Tile &other) const;

private:
  using Elements = std::variant<std::vector<float>, std::vector<double>,
                                std::vector<int64_t>>;

  void detach();

  ElementType type = ElementType::F32;
  Shape shape;
  int64_t numElements = 0;
  std::shared_ptr<Elements> elements;
};

/// Checks whether two floats are one value: equal, or both NaN. Zeros differ by
/// sign.
bool isSameValue(float lhs, float rhs);
bool isSameValue(double lhs, double rhs);

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_TILE_H
