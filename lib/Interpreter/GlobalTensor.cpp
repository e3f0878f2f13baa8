//===- GlobalTensor.cpp - A tensor in global memory -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shadow memory of a tensor: for each element, the last writer, its time, one
// reader, and flags for several writers or readers. Programs of a grid are not
// ordered, so two accesses by different programs conflict. Exceptions are two
// reads, two atomic additions, and a second access that writes the present
// value. Within a program, a read must be separated by a barrier from the write
// before: its time is compared with that of the last barrier.
//
// Strides map the logical row-major order to the memory.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/GlobalTensor.h"

#include "tessera/Array/Rounding.h"
#include "tessera/Simulator/UnorderedPrograms.h"

#include <cstring>
#include <limits>

using namespace tessera;
using namespace tessera::interp;

static Shape getRowMajorStrides(ArrayRef<int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  return strides;
}

GlobalTensor::GlobalTensor(StringRef name, Tile memory, ArrayRef<int64_t> shape,
                           ArrayRef<int64_t> strides, bool isWritable)
    : name(name), hostType(memory.getType()), contents(std::move(memory)),
      shape(shape), strides(strides), writable(isWritable) {}

GlobalTensor::GlobalTensor(StringRef name, array::NDArray contents,
                           bool isWritable)
    : name(name), hostType(contents.getType()), shape(contents.getShape()),
      strides(getRowMajorStrides(contents.getShape())), writable(isWritable) {
  this->contents = std::move(contents);
}

GlobalTensor GlobalTensor::getPoisoned(StringRef name, ElementType type,
                                       ArrayRef<int64_t> shape) {
  GlobalTensor tensor(name, type, shape, getRowMajorStrides(shape));
  tensor.writable = tensor.isPoisoned = true;
  return tensor;
}

GlobalTensor GlobalTensor::getBorrowed(StringRef name, ElementType type,
                                       const void *elements,
                                       ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> strides) {
  GlobalTensor tensor(name, type, shape, strides);
  tensor.contents = Borrowed{static_cast<const uint8_t *>(elements)};
  return tensor;
}

static Tile getPoison(ElementType type, ArrayRef<int64_t> shape) {
  Tile memory(type, shape);
  memory.fill(Tile::getPoison(type));
  return memory;
}

void GlobalTensor::decode() const {
  if (std::holds_alternative<std::monostate>(contents)) {
    contents = getPoison(getType(), shape);
  } else if (std::holds_alternative<Borrowed>(contents)) {
    contents = Tile::fromArray(toArray());
    strides = getRowMajorStrides(shape);
  } else if (auto *bytes = std::get_if<array::NDArray>(&contents)) {
    contents = Tile::fromArray(*bytes);
  }
}

static array::NDArray encode(const Tile &tile, ElementType type) {
  array::NDArray array(type, tile.getShape());
  for (int64_t i = 0, e = tile.getNumElements(); i < e; ++i) {
    if (tile.isFloat())
      array.setFloat(i, tile.getFloat(i));
    else
      array.setInteger(i, tile.integers()[i]);
  }
  return array;
}

const void *GlobalTensor::getBytes() {
  if (auto *borrowed = std::get_if<Borrowed>(&contents))
    return borrowed->elements;
  if (!std::holds_alternative<array::NDArray>(contents))
    contents = encode(getMemory(), hostType);
  return std::get<array::NDArray>(contents).getBytes();
}

array::NDArray GlobalTensor::copyBytes() {
  if (std::holds_alternative<std::monostate>(contents))
    return array::NDArray(hostType, shape);
  if (auto *bytes = std::get_if<array::NDArray>(&contents))
    return *bytes;
  return encode(getMemory(), hostType);
}

int64_t interp::getReplacement(tile::AtomicKind kind, ElementType type,
                               int64_t old, int64_t value, int64_t expected) {
  // Integers are sign-extended, which keeps the order of unsigned ones.
  bool isLess = int64_t(old) < int64_t(value);
  bool isBelow = uint64_t(old) < uint64_t(value);
  switch (kind) {
  case tile::AtomicKind::Add:
    return wrap(type, int64_t(uint64_t(old) + uint64_t(value)));
  case tile::AtomicKind::Max:
    return isLess ? value : old;
  case tile::AtomicKind::Min:
    return isLess ? old : value;
  case tile::AtomicKind::UMax:
    return isBelow ? value : old;
  case tile::AtomicKind::UMin:
    return isBelow ? old : value;
  case tile::AtomicKind::And:
    return old & value;
  case tile::AtomicKind::Or:
    return old | value;
  case tile::AtomicKind::Xor:
    return old ^ value;
  case tile::AtomicKind::Exchange:
    return value;
  case tile::AtomicKind::Cas:
    return old == expected ? value : old;
  }
  llvm_unreachable("unknown atomic operation");
}

std::optional<Conflict>
GlobalTensor::recordOrdered(int64_t offset, const AccessStamp &access,
                            sim::ProgramOrder::Kind kind, bool isSame) {
  using Kind = sim::ProgramOrder::Kind;
  sim::ProgramOrder::Access entry{access.program, access.when, kind};
  std::optional<sim::ProgramOrder::Access> other;
  if (!isSame)
    other = access.order->find(this, offset, entry, *access.clocks);
  access.order->record(this, offset, entry, *access.clocks);
  if (!other)
    return std::nullopt;
  auto getKind = [&] {
    if (kind == Kind::Read)
      return Conflict::ReadOfOther;
    if (other->kind == Kind::Read)
      return Conflict::WriteAfterRead;
    return kind == other->kind ? Conflict::WriteOfOther
                               : Conflict::MixedAtomics;
  };
  return Conflict{getKind(), other->program};
}

std::optional<Conflict> GlobalTensor::recordRead(int64_t offset,
                                                 const AccessStamp &access) {
  Cell &cell = getCell(offset);
  uint32_t self = access.program + 1;
  if (cell.reader != 0 && cell.reader != self)
    cell.hasManyReaders = true;
  cell.reader = self;
  if (access.order) {
    if (auto conflict =
            recordOrdered(offset, access, sim::ProgramOrder::Kind::Read, false))
      return conflict;
    if (cell.writer != self)
      return std::nullopt;
  }
  if (cell.writer == 0)
    return std::nullopt;
  if (!access.order && (cell.writer != self || cell.hasManyWriters))
    return Conflict{Conflict::ReadOfOther,
                    cell.writer == self
                        ? std::nullopt
                        : std::optional<uint32_t>(cell.writer - 1)};
  if (cell.time > access.barrier)
    return Conflict{Conflict::ReadOfOwn, std::nullopt};
  return std::nullopt;
}

std::optional<Conflict> GlobalTensor::recordWrite(int64_t offset,
                                                  const AccessStamp &access,
                                                  bool isAtomic, bool isSame) {
  Cell &cell = getCell(offset);
  Cell old = cell;
  uint32_t self = access.program + 1;
  bool otherWriter = old.writer != 0 && old.writer != self;
  cell.hasManyWriters |= otherWriter;
  // A store stays one although the program then changes the element atomically.
  cell.isAtomic = isAtomic && (old.writer == 0 || old.isAtomic);
  cell.writer = self;
  cell.isWritten = true;
  cell.time = access.time;
  if (access.order) {
    auto kind = isAtomic ? sim::ProgramOrder::Kind::Atomic
                         : sim::ProgramOrder::Kind::Write;
    if (auto conflict = recordOrdered(offset, access, kind, isSame))
      return conflict;
    otherWriter = false;
  }
  if (isSame)
    return std::nullopt;
  if (!access.order && old.reader != 0 &&
      (old.reader != self || old.hasManyReaders))
    return Conflict{Conflict::WriteAfterRead,
                    old.reader == self
                        ? std::nullopt
                        : std::optional<uint32_t>(old.reader - 1)};
  if (otherWriter) {
    if (isAtomic && old.isAtomic)
      return std::nullopt;
    return Conflict{isAtomic || old.isAtomic ? Conflict::MixedAtomics
                                             : Conflict::WriteOfOther,
                    old.writer - 1};
  }
  if (!access.order && old.hasManyWriters && old.isAtomic && !isAtomic)
    return Conflict{Conflict::MixedAtomics, std::nullopt};
  if (old.writer == self && old.time == access.time && !isAtomic)
    return Conflict{Conflict::WriteOfOtherLane, std::nullopt};
  return std::nullopt;
}

std::string GlobalTensor::describeElement(int64_t offset) const {
  std::string text = "'" + name + "[";
  for (size_t dim = 0, e = shape.size(); dim < e; ++dim) {
    int64_t stride = strides[dim];
    if (dim != 0)
      text += ", ";
    // Exact for row-major strides; with other strides, the offset distinguishes
    // elements.
    text += std::to_string(
        stride == 0 ? 0 : offset / stride % std::max<int64_t>(1, shape[dim]));
  }
  return text + "]'";
}

std::string GlobalTensor::describe(int64_t offset, const Conflict &conflict,
                                   StringRef other, StringRef barrier) const {
  std::string element = describeElement(offset);
  switch (conflict.kind) {
  case Conflict::ReadOfOther:
    return ("reads " + element + ", which " + other + " writes" +
            sim::kUnorderedPrograms)
        .str();
  case Conflict::ReadOfOwn:
    return ("reads " + element + ", which this program wrote before; put " +
            barrier + " between")
        .str();
  case Conflict::WriteOfOther:
    return ("writes " + element + ", where " + other + " writes another value")
        .str();
  case Conflict::WriteAfterRead:
    return ("writes " + element + ", which " + other + " reads" +
            sim::kUnorderedPrograms)
        .str();
  case Conflict::WriteOfOtherLane:
    return "two elements of the tile are written to " + element +
           " with different values";
  case Conflict::MixedAtomics:
    return ("changes " + element + ", to which " + other +
            " writes too, one of them not atomically")
        .str();
  }
  return element;
}

void GlobalTensor::forEachOffset(function_ref<void(int64_t)> visit) const {
  Shape position(shape.size(), 0);
  int64_t count = 1, offset = 0;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    visit(offset);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      offset += strides[dim];
      if (++position[dim] < shape[dim])
        break;
      offset -= strides[dim] * shape[dim];
      position[dim] = 0;
    }
  }
}

void GlobalTensor::takeResults(array::NDArray results,
                               ArrayRef<uint8_t> written) {
  isPoisoned = llvm::is_contained(written, 0);
  contents = std::move(results);
  if (!isPoisoned)
    return;
  Tile poison = Tile::getPoison(getType());
  for (auto [i, isWritten] : llvm::enumerate(written)) {
    getCell(i).isWritten = isWritten;
    if (isWritten)
      continue;
    getMemory();
    std::get<Tile>(contents).setElement(i, poison);
  }
}

array::NDArray GlobalTensor::toArray() const {
  const auto *bytes = std::get_if<array::NDArray>(&contents);
  const auto *borrowed = std::get_if<Borrowed>(&contents);
  if (bytes && strides == getRowMajorStrides(shape))
    return *bytes;
  array::NDArray result(hostType, shape);
  if (bytes || borrowed) {
    const uint8_t *from = bytes ? bytes->getBytes() : borrowed->elements;
    int64_t size = array::getByteSize(hostType);
    uint8_t *to = result.getBytes();
    forEachOffset([&](int64_t offset) {
      std::memcpy(to, from + offset * size, size);
      to += size;
    });
    return result;
  }
  const Tile &memory = getMemory();
  int64_t next = 0;
  forEachOffset([&](int64_t offset) {
    if (isFloat())
      result.setFloat(next++, memory.getFloat(offset));
    else
      result.setInteger(next++, memory.integers()[offset]);
  });
  return result;
}

array::NDArray GlobalTensor::takeArray() {
  auto *bytes = std::get_if<array::NDArray>(&contents);
  if (bytes && strides == getRowMajorStrides(shape))
    return std::move(*bytes);
  return toArray();
}

int64_t GlobalTensor::countUnwritten(int64_t *first) const {
  if (!isPoisoned)
    return 0;
  int64_t count = 0, next = 0;
  forEachOffset([&](int64_t offset) {
    bool isUnwritten = shadow.empty() || !shadow[offset].isWritten;
    if (isUnwritten && count++ == 0 && first)
      *first = next;
    ++next;
  });
  return count;
}
