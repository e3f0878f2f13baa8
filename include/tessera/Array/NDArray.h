//===- NDArray.h - Arrays on the host ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dense, row-major array in host memory. It holds the bytes of a file or a
// device; computations read the elements as numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_ARRAY_NDARRAY_H
#define TESSERA_ARRAY_NDARRAY_H

#include "tessera/Array/ElementType.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tessera::array {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Creates an error. Its text is a lower-case phrase that the caller completes.
llvm::Error makeError(const llvm::Twine &message);

/// Returns the text "[2, 16, 512]".
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// Returns the number of elements of a shape. Fails if an extent is negative or
/// the bytes of such an array do not fit in memory.
llvm::Expected<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// Returns the coordinates of the row-major position `index`, as "[1, 2]".
std::string formatPosition(llvm::ArrayRef<int64_t> shape, int64_t index);

class NDArray {
public:
  NDArray() = default;
  /// Creates an array of zeros. `countElements` must have accepted the shape.
  NDArray(ElementType type, llvm::ArrayRef<int64_t> shape);

  ElementType getType() const { return type; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const { return numElements; }

  uint8_t *getBytes() { return bytes.data(); }
  const uint8_t *getBytes() const { return bytes.data(); }
  size_t getNumBytes() const { return bytes.size(); }

  /// Returns one element as a number. Integers are exact as int64_t; `getFloat`
  /// of an integer array converts.
  double getFloat(int64_t index) const;
  int64_t getInteger(int64_t index) const;

  /// Writes one element; floats are rounded to nearest even, integers wrap.
  void setFloat(int64_t index, double value);
  void setInteger(int64_t index, int64_t value);
  /// Writes an integer in decimal digits.
  std::string formatInteger(int64_t index) const;

  /// Returns the same numbers with another element type. Floats are rounded. An
  /// integer that does not fit, and a conversion between floats and integers,
  /// are errors.
  llvm::Expected<NDArray> convertTo(ElementType type) const;

private:
  ElementType type = ElementType::F32;
  Shape shape;
  int64_t numElements = 0;
  std::vector<uint8_t> bytes;
};

} // namespace tessera::array

#endif // TESSERA_ARRAY_NDARRAY_H
