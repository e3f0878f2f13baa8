//===- ReduceSteps.cpp - Reductions digit by digit --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The blocks below a digit are reduced. Blocks in registers are combined as a
// tree. Blocks in lanes are combined by butterfly shuffles: of two lanes, both
// combine the lower block with the upper one, and so have the same bits. Blocks
// in warps go through scratch memory, and each thread combines all of them in
// order.
//
//===----------------------------------------------------------------------===//

#include "DigitSteps.h"

#include "Kernel/TileCoordinates.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
class ReduceSteps : public DigitSteps {
public:
  using DigitSteps::DigitSteps;

private:
  void runRegisters(const AxisDigit &digit) override;
  void runLanes(const AxisDigit &digit) override;
  void runWarps(const AxisDigit &digit) override;
  /// Combines the groups of two lanes in their order, and does so in both.
  Group combineWith(const Group &own, const Group &other, Value isUpper) const;

  /// Returns the registers that hold the blocks of the digits below.
  SmallVector<int64_t> getBlocks() const {
    SmallVector<int64_t> blocks;
    for (int64_t reg = 0, e = values.size(); reg < e; ++reg)
      if (isFirstRegister(below, reg))
        blocks.push_back(reg);
    return blocks;
  }
};
} // namespace

void ReduceSteps::runRegisters(const AxisDigit &digit) {
  for (int64_t reg : getBlocks()) {
    if (digit.get(reg) != 0)
      continue;
    SmallVector<Group> groups;
    for (int64_t step = 0; step < digit.count; ++step)
      groups.push_back(values[reg + step * digit.place]);
    values[reg] = combiner.combineAll(builder, loc, std::move(groups));
  }
}

Group ReduceSteps::combineWith(const Group &own, const Group &other,
                               Value isUpper) const {
  return combiner.combine(builder, loc,
                          combiner.select(builder, loc, isUpper, other, own),
                          combiner.select(builder, loc, isUpper, own, other));
}

void ReduceSteps::runLanes(const AxisDigit &digit) {
  SmallVector<int64_t> blocks = getBlocks();
  bool isButterfly =
      llvm::isPowerOf2_64(digit.count) && llvm::isPowerOf2_64(digit.place);
  if (!isButterfly) {
    // Each lane fetches the blocks of all lanes.
    for (int64_t reg : blocks) {
      SmallVector<Group> groups;
      for (int64_t step = 0; step < digit.count; ++step)
        groups.push_back(combiner.shuffle(builder, loc, NVVM::ShflKind::idx,
                                          values[reg],
                                          emitWith(threads.lane, digit, step)));
      values[reg] = combiner.combineAll(builder, loc, std::move(groups));
    }
    return;
  }
  for (int64_t distance = 1; distance < digit.count; distance *= 2) {
    int64_t bit = distance * digit.place;
    Value isUpper =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                             LLVM::AndOp::create(builder, loc, threads.lane,
                                                 emitI32(builder, loc, bit)),
                             emitI32(builder, loc, 0));
    Value mask = emitI32(builder, loc, bit);
    for (int64_t reg : blocks)
      values[reg] =
          combineWith(values[reg],
                      combiner.shuffle(builder, loc, NVVM::ShflKind::bfly,
                                       values[reg], mask),
                      isUpper);
  }
}

void ReduceSteps::runWarps(const AxisDigit &digit) {
  SmallVector<int64_t> blocks = getBlocks();
  SmallVector<Group> sent =
      llvm::map_to_vector(blocks, [&](int64_t reg) { return values[reg]; });
  SmallVector<Value> from;
  for (int64_t step = 0; step < digit.count; ++step)
    from.push_back(
        emitThread(emitWith(threads.warp, digit, step), threads.lane));
  SmallVector<SmallVector<Group>> lines = exchange(sent, from);
  for (auto [i, reg] : llvm::enumerate(blocks)) {
    SmallVector<Group> groups;
    for (ArrayRef<Group> line : lines)
      groups.push_back(line[i]);
    values[reg] = combiner.combineAll(builder, loc, std::move(groups));
  }
}

void sm::emitReduceSteps(OpBuilder &builder, const LoweringContext &context,
                         Operation *op, ArrayRef<AxisDigit> digits,
                         const GroupCombiner &combiner, Value base,
                         MutableArrayRef<Group> values) {
  ReduceSteps steps(builder, context, op, /*isReverse=*/false, combiner, base,
                    values);
  for (const AxisDigit &digit : digits)
    steps.run(digit);
}
