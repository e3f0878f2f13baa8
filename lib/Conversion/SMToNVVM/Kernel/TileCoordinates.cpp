//===- TileCoordinates.cpp - Coordinates of elements ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a layout for a thread number as code. The layout is a sum of digits
// of the register, lane and warp. Digits of kind Bit combine by exclusive or
// (an F2-linear map), digits of kind Count by addition. Adjacent bits with
// doubling strides become one shift and mask.
//
// Invariant: dynamic + constant is the coordinate of the layout for every
// thread and register.
//
//===----------------------------------------------------------------------===//

#include "TileCoordinates.h"

#include "tessera/Layout/FreeDigits.h"

using namespace tessera;
using namespace tessera::sm;
using layout::Digit;
using layout::Layout;

namespace {
/// Adjacent digits of one axis that are also adjacent along one dimension, as
/// one digit.
struct Run {
  Value number;
  /// Exclusive upper bound of `number`.
  int64_t bound;
  int64_t place;
  int64_t count;
  int64_t stride;
};

/// The position of one thread along an axis of a layout.
struct AxisNumber {
  Value number;
  int64_t bound = 1;
  bool isRegister = false;
};
} // namespace

static bool isPowerOf2(int64_t value) {
  return llvm::isPowerOf2_64(static_cast<uint64_t>(value));
}

static Value emitMultiple(OpBuilder &builder, Location loc, Value value,
                          int64_t factor) {
  if (factor == 1)
    return value;
  return LLVM::MulOp::create(builder, loc, value,
                             emitI32(builder, loc, factor));
}

Value sm::emitDigit(OpBuilder &builder, Location loc, Value number,
                    int64_t bound, int64_t place, int64_t count) {
  Value digit = number;
  if (place != 1)
    digit = isPowerOf2(place)
                ? Value(LLVM::LShrOp::create(
                      builder, loc, digit,
                      emitI32(builder, loc, llvm::Log2_64(place))))
                : Value(LLVM::UDivOp::create(builder, loc, digit,
                                             emitI32(builder, loc, place)));
  if (place * count >= bound)
    return digit;
  if (isPowerOf2(count))
    return LLVM::AndOp::create(builder, loc, digit,
                               emitI32(builder, loc, count - 1));
  return LLVM::URemOp::create(builder, loc, digit,
                              emitI32(builder, loc, count));
}

static Value emitDigit(OpBuilder &builder, Location loc, const Run &run) {
  return sm::emitDigit(builder, loc, run.number, run.bound, run.place,
                       run.count);
}

Value sm::emitSum(OpBuilder &builder, Location loc, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return LLVM::AddOp::create(builder, loc, x, y);
}

static SmallVector<AxisNumber> getNumbers(const Layout &layout,
                                          const ThreadGroup &threads) {
  SmallVector<AxisNumber> numbers;
  for (const layout::Axis &axis : layout.getAxes())
    if (axis.name == layout::kLane)
      numbers.push_back({threads.lane, 32});
    else if (axis.name == layout::kWarp)
      numbers.push_back({threads.warp, threads.warps});
    else
      numbers.push_back({Value(), 1, axis.name == layout::kRegister});
  return numbers;
}

/// The part of a coordinate that depends on lanes and warps: the bits of the
/// atom, with a mask of the bits that may be set, and the counts.
namespace {
struct ThreadPart {
  Value bits, counts;
  int64_t mask = 0;
};
} // namespace

static ThreadPart emitThreadPart(OpBuilder &builder, Location loc,
                                 const Layout &layout,
                                 ArrayRef<AxisNumber> numbers, unsigned dim) {
  SmallVector<Run> bits, counts;
  const Digit *last = nullptr;
  for (const Digit &digit : layout.getDigits()) {
    const AxisNumber &axis = numbers[digit.axis];
    int64_t stride = digit.stride[dim];
    if (!axis.number || stride == 0 || digit.kind == Digit::Kind::Broadcast)
      continue;
    if (digit.kind == Digit::Kind::Count) {
      counts.push_back(
          {axis.number, axis.bound, digit.place, digit.count, stride});
      continue;
    }
    if (last && last->axis == digit.axis && last->place * 2 == digit.place &&
        last->stride[dim] * 2 == stride)
      bits.back().count *= 2;
    else
      bits.push_back({axis.number, axis.bound, digit.place, 2, stride});
    last = &digit;
  }
  ThreadPart part;
  for (const Run &run : bits) {
    Value value =
        emitMultiple(builder, loc, emitDigit(builder, loc, run), run.stride);
    int64_t mask = (run.count - 1) * run.stride;
    part.bits = part.bits && (part.mask & mask)
                    ? Value(LLVM::XOrOp::create(builder, loc, part.bits, value))
                    : emitSum(builder, loc, part.bits, value);
    part.mask |= mask;
  }
  for (const Run &run : counts)
    part.counts = emitSum(
        builder, loc, part.counts,
        emitMultiple(builder, loc, emitDigit(builder, loc, run), run.stride));
  return part;
}

TileCoordinates::TileCoordinates(OpBuilder &builder, Location loc,
                                 const Layout &layout,
                                 const ThreadGroup &threads) {
  SmallVector<AxisNumber> numbers = getNumbers(layout, threads);
  int64_t registers = layout.getSize(layout::kRegister);
  for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
    ThreadPart part = emitThreadPart(builder, loc, layout, numbers, dim);
    Value sum = emitSum(builder, loc, part.bits, part.counts);
    llvm::DenseMap<int64_t, Value> combined;
    auto &column = coordinates.emplace_back();
    for (int64_t reg = 0; reg < registers; ++reg) {
      int64_t bits = 0, counts = 0;
      for (const Digit &digit : layout.getDigits()) {
        if (!numbers[digit.axis].isRegister)
          continue;
        int64_t value = reg / digit.place % digit.count * digit.stride[dim];
        if (digit.kind == Digit::Kind::Bit)
          bits ^= value;
        else if (digit.kind == Digit::Kind::Count)
          counts += value;
      }
      if ((bits & part.mask) == 0) {
        column.push_back({sum, bits + counts});
        continue;
      }
      // Bits of the register that are not bits of the thread are added. Only a
      // few sums then differ by more than a constant.
      int64_t toggled = bits & part.mask;
      Value &toggle = combined[toggled];
      if (!toggle)
        toggle = emitSum(builder, loc,
                         LLVM::XOrOp::create(builder, loc, part.bits,
                                             emitI32(builder, loc, toggled)),
                         part.counts);
      column.push_back({toggle, bits - toggled + counts});
    }
  }
}

//===----------------------------------------------------------------------===//
// Holders
//===----------------------------------------------------------------------===//

Holders sm::getHolders(OpBuilder &builder, Location loc, const Layout &layout,
                       const ThreadGroup &threads) {
  // These digits are 0 for the holder that acts.
  SmallVector<const Digit *> free = getFreeDigits(layout);
  SmallVector<AxisNumber> numbers = getNumbers(layout, threads);
  Holders holders;
  holders.registers = getHoldingRegisters(layout);

  auto require = [&](Value zero) {
    Value holds = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                       zero, emitI32(builder, loc, 0));
    holders.isHolder =
        holders.isHolder
            ? Value(LLVM::AndOp::create(builder, loc, holders.isHolder, holds))
            : holds;
  };
  for (auto [axis, number] : llvm::enumerate(numbers)) {
    int64_t mask = 0;
    for (const Digit *digit : free) {
      if (digit->axis != axis || !number.number)
        continue;
      if (isPowerOf2(digit->place) && isPowerOf2(digit->count))
        mask |= (digit->count - 1) * digit->place;
      else
        require(sm::emitDigit(builder, loc, number.number, number.bound,
                              digit->place, digit->count));
    }
    if (mask == 0)
      continue;
    require(LLVM::AndOp::create(builder, loc, number.number,
                                emitI32(builder, loc, mask)));
  }
  // An axis that the layout lacks, or that has fewer values than threads,
  // repeats elements.
  auto requireBelow = [&](StringRef axis, Value number, int64_t bound) {
    int64_t size = layout.getSize(axis);
    if (size >= bound)
      return;
    Value holds = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult,
                                       number, emitI32(builder, loc, size));
    holders.isHolder =
        holders.isHolder
            ? Value(LLVM::AndOp::create(builder, loc, holders.isHolder, holds))
            : holds;
  };
  requireBelow(layout::kLane, threads.lane, 32);
  requireBelow(layout::kWarp, threads.warp, threads.warps);
  return holders;
}
