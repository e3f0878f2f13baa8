//===- DigitSteps.h - Scans and reductions digit by digit -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout represents a position on the axis of a scan by digits of the
// register, the lane and the warp. Scans and reductions process the digits from
// the least significant one on. Before a digit, the blocks of the digits below
// are finished, and the digit numbers these blocks. Adjacent blocks are
// combined in order, so the function need not be commutative. A register
// therefore moves a few times per digit, however large the tile is.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_DIGITSTEPS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_DIGITSTEPS_H

#include "GroupCombiner.h"
#include "Kernel/LoweringContext.h"

#include "tessera/Dialect/SM/IR/Exchange.h"

namespace tessera::sm {

/// The threads and digits of a scan or reduction.
class DigitSteps {
public:
  /// `base` is the address of the scratch memory of `op`, an i32; null if there
  /// is none. `values` has one group for each register.
  DigitSteps(OpBuilder &builder, const LoweringContext &context, Operation *op,
             bool isReverse, const GroupCombiner &combiner, Value base,
             MutableArrayRef<Group> values)
      : builder(builder), loc(op->getLoc()), context(context), op(op),
        threads(context.getThreads(op)), combiner(combiner),
        isReverse(isReverse), base(base), values(values) {}

  virtual ~DigitSteps() = default;

  /// Combines along `digit`, the next one of the axis.
  void run(const AxisDigit &digit);

protected:
  virtual void runRegisters(const AxisDigit &digit) = 0;
  virtual void runLanes(const AxisDigit &digit) = 0;
  virtual void runWarps(const AxisDigit &digit) = 0;

  /// Returns the value of `digit` at step `step` along the axis.
  int64_t getValue(const AxisDigit &digit, int64_t step) const {
    return isReverse ? digit.count - 1 - step : step;
  }
  Value emitNumber(const AxisDigit &digit) const;
  /// Emits `number`, of a lane or a warp, with `digit` at `step`.
  Value emitWith(Value number, const AxisDigit &digit, int64_t step) const;
  Value emitThread(Value warp, Value lane) const;
  /// Emits whether this thread is at `step` or after it.
  Value emitIsAtLeast(const AxisDigit &digit, int64_t step) const;

  /// Returns the groups that the threads `from` have sent, one row for each
  /// thread.
  SmallVector<SmallVector<Group>> exchange(ArrayRef<Group> sent,
                                           ArrayRef<Value> from) const;

  OpBuilder &builder;
  Location loc;
  const LoweringContext &context;
  Operation *op;
  const ThreadGroup &threads;
  const GroupCombiner &combiner;
  bool isReverse;
  Value base;
  MutableArrayRef<Group> values;
  /// The digits that are already combined.
  SmallVector<AxisDigit> below;
};

/// Replaces the groups in `values` by their prefix sums.
void emitScanSteps(OpBuilder &builder, const LoweringContext &context,
                   Operation *op, bool isReverse, ArrayRef<AxisDigit> digits,
                   const GroupCombiner &combiner, Value base,
                   MutableArrayRef<Group> values);

/// Reduces the groups in `values`. Afterwards each thread holds the result of
/// its line in the registers whose digits are 0.
void emitReduceSteps(OpBuilder &builder, const LoweringContext &context,
                     Operation *op, ArrayRef<AxisDigit> digits,
                     const GroupCombiner &combiner, Value base,
                     MutableArrayRef<Group> values);

/// Checks whether all digits of register `reg` are 0.
bool isFirstRegister(ArrayRef<AxisDigit> digits, int64_t reg);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_DIGITSTEPS_H
