//===- IndexFunctions.cpp - Tables per thread as code -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds affine functions of the bits of the thread number by probing the table.
// Bit b contributes a constant that is added if its effect is the same for all
// other bits, and a constant that is toggled otherwise. The function is then
// checked against the whole table. Tables that fail are split by the warp, or
// by the upper half of the lanes, with selects. The parts are emitted
// recursively.
//
// Invariant: the emitted code equals the table for every thread.
//
//===----------------------------------------------------------------------===//

#include "IndexFunctions.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// A function of the thread number, given by a table whose size is a power of
/// two.
class Function {
public:
  Function(OpBuilder &builder, Location loc, const ThreadGroup &threads)
      : builder(builder), loc(loc), threads(threads) {}

  Value emit(ArrayRef<int64_t> values);

private:
  /// `count` bits of the thread number from `first` on, which contribute `unit`
  /// times their value.
  struct Bits {
    unsigned first, count;
    int64_t unit;
  };
  bool findBits(ArrayRef<int64_t> values);
  std::vector<Bits> merge(ArrayRef<std::pair<unsigned, int64_t>> bits);
  Value emitBits(const Bits &bits);
  Value emitLinear(int64_t constant);

  OpBuilder &builder;
  Location loc;
  const ThreadGroup &threads;
  std::vector<Bits> added, toggled;
};
} // namespace

std::vector<Function::Bits>
Function::merge(ArrayRef<std::pair<unsigned, int64_t>> bits) {
  std::vector<Bits> merged;
  for (auto [bit, unit] : bits) {
    if (unit == 0)
      continue;
    if (!merged.empty()) {
      Bits &last = merged.back();
      // Bit 5 is the first bit of the warp number, which is another value. For
      // an exclusive or, the product must not carry.
      bool doubles = unit == last.unit << last.count;
      bool carries = (unit & (last.unit * ((1 << last.count) - 1))) != 0;
      if (bit == last.first + last.count && bit != 5 && doubles && !carries) {
        ++last.count;
        continue;
      }
    }
    merged.push_back({bit, 1, unit});
  }
  return merged;
}

/// Splits the function into bits that add the same constant for all values of
/// the other bits, and bits that toggle a constant.
bool Function::findBits(ArrayRef<int64_t> values) {
  SmallVector<std::pair<unsigned, int64_t>> adds, toggles;
  int64_t first = values[0];
  int64_t size = values.size();
  for (unsigned bit = 0; (int64_t(1) << bit) < size; ++bit) {
    int64_t mask = int64_t(1) << bit, unit = values[mask] - first;
    bool isSum = true;
    for (int64_t p = 0; p < size && isSum; ++p)
      isSum = (p & mask) || values[p | mask] - values[p] == unit;
    if (isSum)
      adds.push_back({bit, unit});
    else
      toggles.push_back({bit, values[mask] ^ first});
  }
  for (int64_t p = 0; p < size; ++p) {
    int64_t value = first;
    for (auto [bit, unit] : toggles)
      value ^= p >> bit & 1 ? unit : 0;
    for (auto [bit, unit] : adds)
      value += p >> bit & 1 ? unit : 0;
    if (value != values[p])
      return false;
  }
  added = merge(adds);
  toggled = merge(toggles);
  return true;
}

Value Function::emitBits(const Bits &bits) {
  bool isLane = bits.first < 5;
  Value value = isLane ? threads.lane : threads.warp;
  unsigned shift = isLane ? bits.first : bits.first - 5;
  bool isTop = isLane ? shift + bits.count == 5
                      : (int64_t(1) << (shift + bits.count)) >= threads.warps;
  if (shift)
    value = arith::ShRUIOp::create(builder, loc, value,
                                   emitI32(builder, loc, shift));
  if (!isTop)
    value = arith::AndIOp::create(builder, loc, value,
                                  emitI32(builder, loc, (1 << bits.count) - 1));
  if (bits.unit == 1)
    return value;
  return arith::MulIOp::create(builder, loc, value,
                               emitI32(builder, loc, bits.unit));
}

Value Function::emitLinear(int64_t constant) {
  Value value;
  for (const Bits &bits : toggled) {
    Value part = emitBits(bits);
    value = value ? arith::XOrIOp::create(builder, loc, value, part) : part;
  }
  if (value && constant) {
    value = arith::XOrIOp::create(builder, loc, value,
                                  emitI32(builder, loc, constant));
    constant = 0;
  }
  for (const Bits &bits : added) {
    Value part = emitBits(bits);
    value = value ? arith::AddIOp::create(builder, loc, value, part) : part;
  }
  if (!value)
    return emitI32(builder, loc, constant);
  if (constant)
    value = arith::AddIOp::create(builder, loc, value,
                                  emitI32(builder, loc, constant));
  return value;
}

Value Function::emit(ArrayRef<int64_t> values) {
  if (llvm::isPowerOf2_64(values.size()) && findBits(values))
    return emitLinear(values[0]);
  // Selects by the upper half of the lanes or, above them, by the warp.
  int64_t size = values.size();
  bool byWarp = size > 32;
  int64_t part = byWarp ? 32 : size / 2;
  Value result;
  for (int64_t p = 0; p < size / part; ++p) {
    Value value = emit(values.slice(p * part, part));
    if (!result) {
      result = value;
      continue;
    }
    Value number = threads.warp;
    int64_t wanted = p;
    if (!byWarp) {
      number = arith::AndIOp::create(builder, loc, threads.lane,
                                     emitI32(builder, loc, part));
      wanted = part;
    }
    Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     number, emitI32(builder, loc, wanted));
    result = arith::SelectOp::create(builder, loc, is, value, result);
  }
  return result;
}

/// Returns the constant with which `combine` computes `to` from `from` in every
/// thread, if there is one.
static std::optional<int64_t>
getDifference(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
              llvm::function_ref<int64_t(int64_t, int64_t)> combine) {
  int64_t first = combine(to[0], from[0]);
  for (auto [a, b] : llvm::zip_equal(from, to))
    if (combine(b, a) != first)
      return std::nullopt;
  return first;
}

SmallVector<Value> IndexFunctions::emit(OpBuilder &builder, Location loc,
                                        const ThreadGroup &threads,
                                        Value base) const {
  /// An item with code of its own. Other items are computed from their
  /// difference to it.
  struct Anchor {
    int64_t item;
    Value number;  // without the base
    Value address; // with the base
  };
  std::vector<Anchor> anchors;
  llvm::DenseMap<std::pair<int64_t, int64_t>, Value> toggled;
  SmallVector<Value> results;
  auto addBase = [&](Value number) {
    return base ? arith::AddIOp::create(builder, loc, base, number) : number;
  };
  for (int64_t item = 0; item < items; ++item) {
    Value result;
    for (auto [index, anchor] : llvm::enumerate(anchors)) {
      ArrayRef<int64_t> from = getItem(anchor.item), to = getItem(item);
      if (auto sum = getDifference(from, to, std::minus<int64_t>())) {
        result = anchor.address;
        if (*sum)
          result = arith::AddIOp::create(builder, loc, result,
                                         emitI32(builder, loc, *sum));
        break;
      }
      if (auto bits = getDifference(from, to, std::bit_xor<int64_t>())) {
        Value &known = toggled[{index, *bits}];
        if (!known)
          known = addBase(arith::XOrIOp::create(builder, loc, anchor.number,
                                                emitI32(builder, loc, *bits)));
        result = known;
        break;
      }
    }
    if (!result) {
      Value number = Function(builder, loc, threads).emit(getItem(item));
      result = addBase(number);
      anchors.push_back({item, number, result});
    }
    results.push_back(result);
  }
  return results;
}
