//===- ScanSteps.cpp - Scans digit by digit ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scan digit by digit. Totals of blocks in registers are added serially.
// Totals in lanes are added by doubling (Hillis-Steele, by shuffles). Totals in
// warps go through scratch memory, and each thread reads all of them, since
// warps are few. The exchange keeps the number of the register, so a place in
// memory depends on a register and a thread, whatever the layout.
//
//===----------------------------------------------------------------------===//

#include "ScanSteps.h"

#include "GlobalMemory/Shuffle.h"
#include "GlobalMemory/VectorAccess.h"
#include "Kernel/RegisterTypeConverter.h"
#include "Kernel/TileCoordinates.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

namespace {
class ScanSteps {
public:
  ScanSteps(OpBuilder &builder, const LoweringContext &context, ScanOp op,
            const Combiner &combiner, Value base, MutableArrayRef<Value> values)
      : builder(builder), loc(op.getLoc()), context(context), op(op),
        threads(context.getThreads(op)), combiner(combiner),
        isReverse(op.getReverse()), base(base), values(values) {}

  void run(const ScanDigit &digit);

private:
  void runRegisters(const ScanDigit &digit);
  void runLanes(const ScanDigit &digit);
  void runWarps(const ScanDigit &digit);

  /// Returns the value of `digit` at step `step` along the axis.
  int64_t getValue(const ScanDigit &digit, int64_t step) const {
    return isReverse ? digit.count - 1 - step : step;
  }
  /// Returns the register with the last element of the block that `reg` is in.
  int64_t getHead(int64_t reg) const {
    for (const ScanDigit &digit : below)
      if (digit.kind == ScanDigit::Register)
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
  /// Combines each register with the total before its head, if there is one.
  void addToBlocks(const llvm::DenseMap<int64_t, Value> &before) {
    for (auto [reg, value] : llvm::enumerate(values))
      if (Value sum = before.lookup(getHead(reg)))
        value = combiner.combine(builder, loc, sum, value);
  }

  Value emitNumber(const ScanDigit &digit) const {
    bool isLane = digit.kind == ScanDigit::Lane;
    return emitDigit(builder, loc, isLane ? threads.lane : threads.warp,
                     isLane ? 32 : threads.warps, digit.place, digit.count);
  }
  /// Emits `number`, of a lane or a warp, with `digit` at `step`.
  Value emitWith(Value number, const ScanDigit &digit, int64_t step) const {
    Value change = LLVM::SubOp::create(
        builder, loc, emitI32(builder, loc, getValue(digit, step)),
        emitNumber(digit));
    return LLVM::AddOp::create(
        builder, loc, number,
        LLVM::MulOp::create(builder, loc, change,
                            emitI32(builder, loc, digit.place)));
  }
  /// Emits the lane, or the warp, with the last element of the block of this
  /// thread.
  Value emitLast(ScanDigit::Kind kind) const {
    Value number = kind == ScanDigit::Lane ? threads.lane : threads.warp;
    for (const ScanDigit &digit : below)
      if (digit.kind == kind)
        number = emitWith(number, digit, digit.count - 1);
    return number;
  }
  Value emitThread(Value warp, Value lane) const {
    return LLVM::AddOp::create(
        builder, loc,
        LLVM::MulOp::create(builder, loc, warp, emitI32(builder, loc, 32)),
        lane);
  }
  bool hasBelow(ScanDigit::Kind kind) const {
    return llvm::any_of(below, [&](auto &digit) { return digit.kind == kind; });
  }
  /// Emits whether this thread is at `step` or after it.
  Value emitIsAtLeast(const ScanDigit &digit, int64_t step) const {
    return LLVM::ICmpOp::create(
        builder, loc,
        isReverse ? LLVM::ICmpPredicate::ule : LLVM::ICmpPredicate::uge,
        emitNumber(digit), emitI32(builder, loc, getValue(digit, step)));
  }

  SmallVector<Value> getTotals(ArrayRef<int64_t> heads) const;
  SmallVector<SmallVector<Value>> exchange(ArrayRef<Value> sent,
                                           ArrayRef<Value> from) const;

  OpBuilder &builder;
  Location loc;
  const LoweringContext &context;
  ScanOp op;
  const ThreadGroup &threads;
  const Combiner &combiner;
  bool isReverse;
  Value base;
  MutableArrayRef<Value> values;
  /// The digits that are already scanned.
  SmallVector<ScanDigit> below;
};
} // namespace

void ScanSteps::run(const ScanDigit &digit) {
  switch (digit.kind) {
  case ScanDigit::Register:
    runRegisters(digit);
    break;
  case ScanDigit::Lane:
    runLanes(digit);
    break;
  case ScanDigit::Warp:
    runWarps(digit);
    break;
  }
  below.push_back(digit);
}

/// Returns the values that the threads `from` have sent, one row for each of
/// them.
SmallVector<SmallVector<Value>>
ScanSteps::exchange(ArrayRef<Value> sent, ArrayRef<Value> from) const {
  Type work = combiner.getWorkType();
  int64_t bytes = getElementBytes(work);
  int64_t rowBytes = threads.getThreads() * bytes;
  auto getAddress = [&](Value thread) -> Value {
    return LLVM::AddOp::create(
        builder, loc, base,
        LLVM::MulOp::create(builder, loc, thread,
                            emitI32(builder, loc, bytes)));
  };
  Value own = getAddress(emitThread(threads.warp, threads.lane));
  SmallVector<Value> sources = llvm::map_to_vector(from, getAddress);
  SmallVector<SmallVector<Value>> got(from.size());
  for (int64_t chunk = getExchangedRegisters(work, threads.warps), first = 0,
               e = sent.size();
       first < e; first += chunk) {
    ArrayRef<Value> part = sent.slice(first, std::min(chunk, e - first));
    emitRoleBarrier(builder, context, op);
    for (auto [i, value] : llvm::enumerate(part))
      emitSharedStore(builder, loc, own, i * rowBytes, value, Value());
    emitRoleBarrier(builder, context, op);
    for (auto [source, line] : llvm::zip_equal(sources, got))
      for (auto [i, value] : llvm::enumerate(part))
        line.append(emitSharedLoad(builder, loc, work, source, i * rowBytes,
                                   value, Value()));
  }
  return got;
}

/// Returns the totals of the blocks of `heads`.
SmallVector<Value> ScanSteps::getTotals(ArrayRef<int64_t> heads) const {
  SmallVector<Value> totals =
      llvm::map_to_vector(heads, [&](int64_t head) { return values[head]; });
  if (hasBelow(ScanDigit::Warp))
    return exchange(totals, emitThread(emitLast(ScanDigit::Warp),
                                       emitLast(ScanDigit::Lane)))
        .front();
  if (hasBelow(ScanDigit::Lane)) {
    Value lane = emitLast(ScanDigit::Lane);
    for (Value &total : totals)
      total = emitShuffle(builder, loc, NVVM::ShflKind::idx, total, lane);
  }
  return totals;
}

void ScanSteps::runRegisters(const ScanDigit &digit) {
  // No block follows the last one.
  SmallVector<int64_t> heads = getHeads();
  llvm::erase_if(heads, [&](int64_t head) {
    return digit.get(head) == getValue(digit, digit.count - 1);
  });
  llvm::DenseMap<int64_t, Value> totals, before;
  for (auto [head, total] : llvm::zip_equal(heads, getTotals(heads)))
    totals[head] = total;
  for (int64_t head : heads) {
    if (digit.get(head) != getValue(digit, 0))
      continue;
    Value sum = totals[head];
    for (int64_t step = 1; step < digit.count; ++step) {
      int64_t next =
          head + (getValue(digit, step) - getValue(digit, 0)) * digit.place;
      before[next] = sum;
      if (step + 1 < digit.count)
        sum = combiner.combine(builder, loc, sum, totals[next]);
    }
  }
  addToBlocks(before);
}

void ScanSteps::runLanes(const ScanDigit &digit) {
  SmallVector<int64_t> heads = getHeads();
  SmallVector<Value> totals = getTotals(heads);
  auto getLane = [&](int64_t distance) -> Value {
    int64_t change = (isReverse ? distance : -distance) * digit.place;
    return LLVM::AddOp::create(builder, loc, threads.lane,
                               emitI32(builder, loc, change));
  };
  // Values of lanes that do not exist are not used.
  for (int64_t distance = 1; distance < digit.count; distance *= 2) {
    Value lane = getLane(distance), exists = emitIsAtLeast(digit, distance);
    for (Value &total : totals) {
      Value other = emitShuffle(builder, loc, NVVM::ShflKind::idx, total, lane);
      Value sum = combiner.combine(builder, loc, other, total);
      total = LLVM::SelectOp::create(builder, loc, exists, sum, total);
    }
  }
  Value lane = getLane(1), exists = emitIsAtLeast(digit, 1);
  Value identity = combiner.emitIdentity(builder, loc);
  llvm::DenseMap<int64_t, Value> before;
  for (auto [head, total] : llvm::zip_equal(heads, totals)) {
    Value sum = emitShuffle(builder, loc, NVVM::ShflKind::idx, total, lane);
    before[head] = LLVM::SelectOp::create(builder, loc, exists, sum, identity);
  }
  addToBlocks(before);
}

void ScanSteps::runWarps(const ScanDigit &digit) {
  SmallVector<int64_t> heads = getHeads();
  SmallVector<Value> sent =
      llvm::map_to_vector(heads, [&](int64_t head) { return values[head]; });
  Value lane = emitLast(ScanDigit::Lane), warp = emitLast(ScanDigit::Warp);
  SmallVector<Value> from, follows;
  for (int64_t step = 0; step + 1 < digit.count; ++step) {
    from.push_back(emitThread(emitWith(warp, digit, step), lane));
    follows.push_back(emitIsAtLeast(digit, step + 1));
  }
  SmallVector<SmallVector<Value>> totals = exchange(sent, from);
  Value identity = combiner.emitIdentity(builder, loc);
  llvm::DenseMap<int64_t, Value> before;
  for (auto [i, head] : llvm::enumerate(heads)) {
    Value sum;
    for (auto [line, exists] : llvm::zip_equal(totals, follows)) {
      Value next = sum ? combiner.combine(builder, loc, sum, line[i]) : line[i];
      sum = LLVM::SelectOp::create(builder, loc, exists, next,
                                   sum ? sum : identity);
    }
    before[head] = sum;
  }
  addToBlocks(before);
}

void sm::emitScanSteps(OpBuilder &builder, const LoweringContext &context,
                       ScanOp op, ArrayRef<ScanDigit> digits,
                       const Combiner &combiner, Value base,
                       MutableArrayRef<Value> values) {
  ScanSteps steps(builder, context, op, combiner, base, values);
  for (const ScanDigit &digit : digits)
    steps.run(digit);
}
