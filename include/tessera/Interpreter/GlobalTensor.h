//===- GlobalTensor.h - A tensor in global memory ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory of a tensor parameter. A tensor that a kernel writes has a shadow:
// the last writer and the readers of every element. It counts elements that no
// program wrote. It also detects accesses whose order the memory model does not
// define, between two programs or within one program without a barrier. These
// are reported as defects.
//
// The contents are bytes as in memory, which other executors work on, until an
// access needs them as numbers.
//
// If atomic operations of the kernel acquire or release, a ProgramOrder finds
// the conflicts between programs instead.
//
// Limits: of several readers of an element, the shadow keeps one, and that
// there were more. Conflicts through a tensor that was passed twice, as two
// parameters, are not detected.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_GLOBALTENSOR_H
#define TESSERA_INTERPRETER_GLOBALTENSOR_H

#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Interpreter/Tile.h"
#include "tessera/Simulator/ProgramOrder.h"

namespace tessera::interp {

/// The program of an access and its time. Times increase over the whole launch.
struct AccessStamp {
  uint32_t program = 0;
  /// The time of this access; all lanes of one operation share it.
  uint64_t time = 0;
  /// The time of the program's last barrier, or of its start.
  uint64_t barrier = 0;

  /// If atomic operations of the kernel acquire or release: the order between
  /// programs, and the moment and the clocks of the accessing agent in it.
  sim::ProgramOrder *order = nullptr;
  sim::Moment when = {};
  const sim::Clocks *clocks = nullptr;
};

/// An access whose result the memory model does not define.
struct Conflict {
  enum Kind {
    ReadOfOther,      // Another program wrote the element.
    ReadOfOwn,        // No barrier after this program's own store.
    WriteOfOther,     // Another program stored a different value.
    WriteAfterRead,   // Another program read the old value.
    WriteOfOtherLane, // Two lanes of a store write different values.
    MixedAtomics,     // Stored by one program, added to by another.
  };
  Kind kind;
  /// The other program, unless it is the same.
  std::optional<uint32_t> other;
};

/// Returns the integer of `type` that replaces `old`. `expected` is for
/// AtomicKind::Cas.
int64_t getReplacement(tile::AtomicKind kind, ElementType type, int64_t old,
                       int64_t value, int64_t expected);

class GlobalTensor {
public:
  /// Creates a tensor with the given contents. They are row-major, unless
  /// strides (in elements) are given; the contents are then the whole memory.
  GlobalTensor(StringRef name, array::NDArray contents, bool isWritable);
  GlobalTensor(StringRef name, Tile memory, ArrayRef<int64_t> shape,
               ArrayRef<int64_t> strides, bool isWritable);
  /// Creates a tensor without contents: floats are NaN and integers are -1.
  static GlobalTensor getPoisoned(StringRef name, ElementType type,
                                  ArrayRef<int64_t> shape);
  /// Creates an input whose elements stay in the memory of the caller, which
  /// must outlive it. They are not aligned more than their type needs.
  static GlobalTensor getBorrowed(StringRef name, ElementType type,
                                  const void *elements, ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> strides);

  StringRef getName() const { return name; }
  /// Returns the type of the elements, in which integers have no sign.
  ElementType getType() const { return array::getSigned(hostType); }
  ArrayRef<int64_t> getShape() const { return shape; }
  /// Returns the strides of the elements of `getMemory`.
  ArrayRef<int64_t> getStrides() const {
    if (std::holds_alternative<Borrowed>(contents))
      decode();
    return strides;
  }
  bool isFloat() const { return array::isFloat(hostType); }
  /// Returns the whole memory as numbers.
  const Tile &getMemory() const {
    if (!std::holds_alternative<Tile>(contents))
      decode();
    return std::get<Tile>(contents);
  }
  /// Returns the address of the first element in the form of memory.
  const void *getBytes();
  /// Returns the strides of the elements of `getBytes` and `copyBytes`.
  ArrayRef<int64_t> getStridesOfBytes() const { return strides; }
  /// Returns a copy of the whole memory; zeros if the tensor has no contents.
  array::NDArray copyBytes();

  /// Checks whether the tensor was created without contents.
  bool isCreatedPoisoned() const { return isPoisoned; }

  /// Forgets all accesses: a barrier of the grid orders them and later ones.
  void forgetAccesses() { ++round; }

  /// Checks whether the kernel may write to the tensor: accesses are recorded.
  bool isWritable() const { return writable; }

  /// Records a read of the element at `offset`.
  std::optional<Conflict> recordRead(int64_t offset, const AccessStamp &access);

  /// Stores or atomically adds one element, and records the access.
  template <typename T>
  std::optional<Conflict> store(int64_t offset, T value,
                                const AccessStamp &access) {
    T &place = getElements<T>()[offset];
    bool same = isSame(place, value);
    place = value;
    return recordWrite(offset, access, /*isAtomic=*/false, same);
  }
  /// `expected` is for AtomicKind::Cas. Sets `old` to the element before, if it
  /// is not null.
  template <typename T>
  std::optional<Conflict> replace(tile::AtomicKind kind, int64_t offset,
                                  T value, T expected,
                                  const AccessStamp &access, T *old = nullptr) {
    T &place = getElements<T>()[offset];
    if (old)
      *old = place;
    place = combine(kind, place, value, expected);
    return recordWrite(offset, access, /*isAtomic=*/true, /*isSame=*/false);
  }
  template <typename T>
  std::optional<Conflict> atomicAdd(int64_t offset, T value,
                                    const AccessStamp &access) {
    return replace<T>(tile::AtomicKind::Add, offset, value, value, access);
  }

  /// Checks whether the element at `offset` already has this value.
  template <typename T>
  bool holds(int64_t offset, T value) const {
    return isSame(getMemory().get<T>()[offset], value);
  }

  /// Returns the text "'x[3, 5]'".
  std::string describeElement(int64_t offset) const;

  /// Describes the defect of an access of the element at `offset`. `other`
  /// names the other program, and `barrier` the operation that would order the
  /// accesses.
  std::string describe(int64_t offset, const Conflict &conflict,
                       StringRef other, StringRef barrier) const;

  /// Takes the results of another executor: the whole memory, and a byte for
  /// each element, which is not 0 if it was written (empty if the tensor has
  /// contents).
  void takeResults(array::NDArray results, ArrayRef<uint8_t> written);

  /// Returns the logical contents, in row-major order, in the type of the array
  /// that the tensor was made of.
  array::NDArray toArray() const;
  /// Returns them without a copy if possible. The tensor cannot be used then.
  array::NDArray takeArray();

  /// Counts the elements of a tensor without contents that no program wrote.
  /// Returns the row-major position of the first one in `first`.
  int64_t countUnwritten(int64_t *first = nullptr) const;

private:
  GlobalTensor(StringRef name, ElementType type, ArrayRef<int64_t> shape,
               ArrayRef<int64_t> strides)
      : name(name), hostType(type), shape(shape), strides(strides) {}

  /// The history of one element. Programs are stored plus one; 0 is none.
  struct Cell {
    uint32_t writer = 0;
    uint32_t reader = 0;
    uint64_t time = 0;
    bool isAtomic = false;
    bool hasManyReaders = false;
    bool hasManyWriters = false;
    bool isWritten = false;
    /// Number of `forgetAccesses` before the accesses of the cell.
    uint32_t round = 0;
  };

  /// An input in the memory of the caller.
  struct Borrowed {
    const uint8_t *elements;
  };

  /// Converts the contents to numbers. Borrowed elements become row-major.
  void decode() const;
  Cell &getCell(int64_t offset) {
    if (shadow.empty())
      shadow.resize(getMemory().getNumElements());
    Cell &cell = shadow[offset];
    if (cell.round != round) {
      bool isWritten = cell.isWritten;
      cell = Cell();
      cell.isWritten = isWritten;
      cell.round = round;
    }
    return cell;
  }

  template <typename T>
  MutableArrayRef<T> getElements() {
    getMemory();
    return std::get<Tile>(contents).getMutable<T>();
  }
  template <typename T>
  static bool isSame(T lhs, T rhs) {
    return isSameValue(lhs, rhs);
  }
  static bool isSame(int64_t lhs, int64_t rhs) { return lhs == rhs; }
  /// Returns the value that replaces `old`.
  template <typename T>
  T combine(tile::AtomicKind kind, T old, T value, T) const {
    return kind == tile::AtomicKind::Exchange
               ? value
               : roundToType<T>(getType(), old + value);
  }
  int64_t combine(tile::AtomicKind kind, int64_t old, int64_t value,
                  int64_t expected) const {
    return getReplacement(kind, getType(), old, value, expected);
  }
  std::optional<Conflict> recordWrite(int64_t offset, const AccessStamp &access,
                                      bool isAtomic, bool isSame);
  /// Records an access in the order between programs.
  std::optional<Conflict> recordOrdered(int64_t offset,
                                        const AccessStamp &access,
                                        sim::ProgramOrder::Kind kind,
                                        bool isSame);
  /// Calls `visit` with the offset of every element in row-major order.
  void forEachOffset(function_ref<void(int64_t)> visit) const;

  std::string name;
  /// The type of the elements in arrays of the host, which may be unsigned.
  ElementType hostType;
  /// Nothing is a tensor that was created without contents.
  mutable std::variant<std::monostate, array::NDArray, Borrowed, Tile> contents;
  Shape shape;
  mutable Shape strides;
  bool writable = false;
  bool isPoisoned = false;
  /// Empty before the first access.
  std::vector<Cell> shadow;
  uint32_t round = 0;
};

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_GLOBALTENSOR_H
