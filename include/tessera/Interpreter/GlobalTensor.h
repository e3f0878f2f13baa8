//===- GlobalTensor.h - A tensor in global memory ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of a tensor parameter. Tensors that a kernel writes carry a shadow
// with the last writer and the readers of every element, which serves two
// purposes: what no program wrote can be counted, and accesses of two programs
// (or of one program without a barrier) whose order the memory model leaves
// open are defects that are reported instead of giving one of the possible
// results.
//
// What the shadow cannot see: of several readers of an element it remembers one
// and that there were more; conflicts through a tensor that was passed twice,
// as two parameters, are not seen at all.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_GLOBALTENSOR_H
#define TESSERA_INTERPRETER_GLOBALTENSOR_H

#include "tessera/Interpreter/Tile.h"

namespace tessera::interp {

/// Who accesses, and when. Times grow over the whole launch.
struct AccessStamp {
  uint32_t program = 0;
  /// The time of this access; all lanes of one operation share it.
  uint64_t time = 0;
  /// The time of the program's last barrier, or of its start.
  uint64_t barrier = 0;
};

/// An access whose result the memory model leaves open.
struct Conflict {
  enum Kind {
    ReadOfOther,      // another program wrote the element
    ReadOfOwn,        // no barrier after this program's own store
    WriteOfOther,     // another program stored a different value
    WriteAfterRead,   // another program read the old value
    WriteOfOtherLane, // two lanes of one store write different values
    MixedAtomics,     // stored by one program, atomically added by another
  };
  Kind kind;
  /// The other program, unless it is the same.
  std::optional<uint32_t> other;
};

class GlobalTensor {
public:
  /// A tensor with the given contents, row-major unless strides are given (in
  /// elements; the contents then are the whole memory).
  GlobalTensor(StringRef name, const array::NDArray &contents, bool isWritable);
  GlobalTensor(StringRef name, Tile memory, ArrayRef<int64_t> shape,
               ArrayRef<int64_t> strides, bool isWritable);
  /// A tensor without contents: floats are NaN and integers are -1.
  static GlobalTensor getPoisoned(StringRef name, ElementType type,
                                  ArrayRef<int64_t> shape);

  StringRef getName() const { return name; }
  ElementType getType() const { return memory.getType(); }
  ArrayRef<int64_t> getShape() const { return shape; }
  ArrayRef<int64_t> getStrides() const { return strides; }
  bool isFloat() const { return memory.isFloat(); }
  const Tile &getMemory() const { return memory; }

  /// Whether accesses must be recorded.
  bool hasShadow() const { return !shadow.empty(); }

  /// Records that the element at `offset` is read.
  std::optional<Conflict> recordRead(int64_t offset, const AccessStamp &access);

  /// Stores or atomically adds one element and records it.
  template <typename T>
  std::optional<Conflict> store(int64_t offset, T value,
                                const AccessStamp &access) {
    T &place = getElements<T>()[offset];
    bool same = isSame(place, value);
    place = value;
    return recordWrite(offset, access, /*isAtomic=*/false, same);
  }
  template <typename T>
  std::optional<Conflict> atomicAdd(int64_t offset, T value,
                                    const AccessStamp &access) {
    T &place = getElements<T>()[offset];
    place = add(place, value);
    return recordWrite(offset, access, /*isAtomic=*/true, /*isSame=*/false);
  }

  /// Whether the element at `offset` has this value already.
  template <typename T>
  bool holds(int64_t offset, T value) const {
    if constexpr (std::is_same_v<T, float>)
      return isSame(memory.floats()[offset], value);
    else
      return isSame(memory.integers()[offset], value);
  }

  /// "'x[3, 5]'".
  std::string describeElement(int64_t offset) const;

  /// What is wrong with an access of the element at `offset`; `other` names the
  /// other program and `barrier` the operation that would help.
  std::string describe(int64_t offset, const Conflict &conflict,
                       StringRef other, StringRef barrier) const;

  /// The logical contents, row-major.
  array::NDArray toArray() const;

  /// How many elements of a tensor without contents nobody wrote, and the
  /// row-major position of the first.
  int64_t countUnwritten(int64_t *first = nullptr) const;

private:
  /// What is known of one element. Programs are stored plus one; 0 is none.
  struct Cell {
    uint32_t writer = 0;
    uint32_t reader = 0;
    uint64_t time = 0;
    bool isAtomic = false;
    bool hasManyReaders = false;
    bool hasManyWriters = false;
  };

  template <typename T>
  MutableArrayRef<T> getElements();
  static bool isSame(float lhs, float rhs) { return isSameValue(lhs, rhs); }
  static bool isSame(int64_t lhs, int64_t rhs) { return lhs == rhs; }
  float add(float lhs, float rhs) const;
  int64_t add(int64_t lhs, int64_t rhs) const;
  std::optional<Conflict> recordWrite(int64_t offset, const AccessStamp &access,
                                      bool isAtomic, bool isSame);
  /// Calls `visit` with the offset of every element in row-major order.
  void forEachOffset(function_ref<void(int64_t)> visit) const;

  std::string name;
  Tile memory;
  Shape shape;
  Shape strides;
  bool isPoisoned = false;
  std::vector<Cell> shadow;
};

template <>
inline MutableArrayRef<float> GlobalTensor::getElements<float>() {
  return memory.mutableFloats();
}
template <>
inline MutableArrayRef<int64_t> GlobalTensor::getElements<int64_t>() {
  return memory.mutableIntegers();
}

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_GLOBALTENSOR_H
