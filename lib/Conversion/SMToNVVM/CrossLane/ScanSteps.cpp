//===- ScanSteps.cpp - Scans digit by digit ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks below a digit are scanned. Each block then adds the total of the
// blocks before it; the total of a block is its last element. Totals in
// registers are added serially. Totals in lanes are added by doubling
// (Hillis-Steele, by shuffles). Totals in warps go through scratch memory, and
// each thread reads all of them, since warps are few.
//
//===----------------------------------------------------------------------===//

#include "DigitSteps.h"

#include "Kernel/TileCoordinates.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
class ScanSteps : public DigitSteps {
public:
  using DigitSteps::DigitSteps;

private:
  void runRegisters(const AxisDigit &digit) override;
  void runLanes(const AxisDigit &digit) override;
  void runWarps(const AxisDigit &digit) override;

  /// Returns the register with the last element of the block that `reg` is in.
  int64_t getHead(int64_t reg) const {
    for (const AxisDigit &digit : below)
      if (digit.kind == AxisDigit::Register)
        reg +=
            (getValue(digit, digit.count - 1) - digit.get(reg)) * digit.place;
    return reg;
  }
  SmallVector<int64_t> getHeads() const {
    SmallVector<int64_t> heads;
    for (int64_t reg = 0, e = values.size(); reg < e; ++reg)
      if (getHead(reg) == reg)
        heads.push_back(reg);
    return heads;
  }
  /// Combines each register with the total before its head, if there is one
  /// and, unless `exists` is null, if that holds.
  void addToBlocks(const llvm::DenseMap<int64_t, Group> &before, Value exists) {
    for (auto [reg, value] : llvm::enumerate(values)) {
      auto found = before.find(getHead(reg));
      if (found == before.end())
        continue;
      Group sum = combiner.combine(builder, loc, found->second, value);
      value = exists ? combiner.select(builder, loc, exists, sum, value) : sum;
    }
  }
  /// Emits the lane, or the warp, with the last element of the block of this
  /// thread.
  Value emitLast(AxisDigit::Kind kind) const {
    Value number = kind == AxisDigit::Lane ? threads.lane : threads.warp;
    for (const AxisDigit &digit : below)
      if (digit.kind == kind)
        number = emitWith(number, digit, digit.count - 1);
    return number;
  }
  bool hasBelow(AxisDigit::Kind kind) const {
    return llvm::any_of(below, [&](auto &digit) { return digit.kind == kind; });
  }

  SmallVector<Group> getTotals(ArrayRef<int64_t> heads) const;
};
} // namespace

/// Returns the totals of the blocks of `heads`.
SmallVector<Group> ScanSteps::getTotals(ArrayRef<int64_t> heads) const {
  SmallVector<Group> totals =
      llvm::map_to_vector(heads, [&](int64_t head) { return values[head]; });
  if (hasBelow(AxisDigit::Warp))
    return exchange(totals, emitThread(emitLast(AxisDigit::Warp),
                                       emitLast(AxisDigit::Lane)))
        .front();
  if (hasBelow(AxisDigit::Lane)) {
    Value lane = emitLast(AxisDigit::Lane);
    for (Group &total : totals)
      total = combiner.shuffle(builder, loc, NVVM::ShflKind::idx, total, lane);
  }
  return totals;
}

void ScanSteps::runRegisters(const AxisDigit &digit) {
  // No block follows the last one.
  SmallVector<int64_t> heads = getHeads();
  llvm::erase_if(heads, [&](int64_t head) {
    return digit.get(head) == getValue(digit, digit.count - 1);
  });
  llvm::DenseMap<int64_t, Group> totals, before;
  for (auto [head, total] : llvm::zip_equal(heads, getTotals(heads)))
    totals[head] = total;
  for (int64_t head : heads) {
    if (digit.get(head) != getValue(digit, 0))
      continue;
    Group sum = totals[head];
    for (int64_t step = 1; step < digit.count; ++step) {
      int64_t next =
          head + (getValue(digit, step) - getValue(digit, 0)) * digit.place;
      before[next] = sum;
      if (step + 1 < digit.count)
        sum = combiner.combine(builder, loc, sum, totals[next]);
    }
  }
  addToBlocks(before, Value());
}

void ScanSteps::runLanes(const AxisDigit &digit) {
  SmallVector<int64_t> heads = getHeads();
  SmallVector<Group> totals = getTotals(heads);
  auto getLane = [&](int64_t distance) -> Value {
    int64_t change = (isReverse ? distance : -distance) * digit.place;
    return LLVM::AddOp::create(builder, loc, threads.lane,
                               emitI32(builder, loc, change));
  };
  // Values of lanes that do not exist are not used.
  for (int64_t distance = 1; distance < digit.count; distance *= 2) {
    Value lane = getLane(distance), exists = emitIsAtLeast(digit, distance);
    for (Group &total : totals) {
      Group other =
          combiner.shuffle(builder, loc, NVVM::ShflKind::idx, total, lane);
      Group sum = combiner.combine(builder, loc, other, total);
      total = combiner.select(builder, loc, exists, sum, total);
    }
  }
  Value lane = getLane(1), exists = emitIsAtLeast(digit, 1);
  std::optional<Group> identity = combiner.emitIdentity(builder, loc);
  llvm::DenseMap<int64_t, Group> before;
  for (auto [head, total] : llvm::zip_equal(heads, totals)) {
    Group sum =
        combiner.shuffle(builder, loc, NVVM::ShflKind::idx, total, lane);
    before[head] =
        identity ? combiner.select(builder, loc, exists, sum, *identity) : sum;
  }
  addToBlocks(before, identity ? Value() : exists);
}

void ScanSteps::runWarps(const AxisDigit &digit) {
  SmallVector<int64_t> heads = getHeads();
  SmallVector<Group> sent =
      llvm::map_to_vector(heads, [&](int64_t head) { return values[head]; });
  Value lane = emitLast(AxisDigit::Lane), warp = emitLast(AxisDigit::Warp);
  SmallVector<Value> from, follows;
  for (int64_t step = 0; step + 1 < digit.count; ++step) {
    from.push_back(emitThread(emitWith(warp, digit, step), lane));
    follows.push_back(emitIsAtLeast(digit, step + 1));
  }
  SmallVector<SmallVector<Group>> totals = exchange(sent, from);
  std::optional<Group> identity = combiner.emitIdentity(builder, loc);
  llvm::DenseMap<int64_t, Group> before;
  for (auto [i, head] : llvm::enumerate(heads)) {
    Group sum;
    for (auto [line, exists] : llvm::zip_equal(totals, follows)) {
      if (sum.empty()) {
        sum = identity
                  ? combiner.select(builder, loc, exists, line[i], *identity)
                  : line[i];
        continue;
      }
      Group next = combiner.combine(builder, loc, sum, line[i]);
      sum = combiner.select(builder, loc, exists, next, sum);
    }
    before[head] = sum;
  }
  addToBlocks(before, identity ? Value() : follows.front());
}

void sm::emitScanSteps(OpBuilder &builder, const LoweringContext &context,
                       Operation *op, bool isReverse,
                       ArrayRef<AxisDigit> digits,
                       const GroupCombiner &combiner, Value base,
                       MutableArrayRef<Group> values) {
  ScanSteps steps(builder, context, op, isReverse, combiner, base, values);
  for (const AxisDigit &digit : digits)
    steps.run(digit);
}
