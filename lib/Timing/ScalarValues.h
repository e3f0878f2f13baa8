//===- ScalarValues.h - Scalars of a kernel without tiles -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integers of a kernel that the clock knows while it follows control flow:
// constants, sizes, the number of the program, and all that can be computed
// from them. They determine the bounds of loops and the branches.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TIMING_SCALARVALUES_H
#define TESSERA_LIB_TIMING_SCALARVALUES_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace tessera::timing {

struct LoopBounds {
  int64_t lower, upper, step;
};

class ScalarValues {
public:
  /// `sizes` must outlive this object. The kernel runs on `ctas` CTAs at a
  /// time.
  ScalarValues(sm::KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
               int64_t ctas);

  /// Sets the program that the CTA begins with.
  void setProgram(int64_t number) { program = number; }

  /// Returns the value, if it is known.
  std::optional<int64_t> get(Value value) const;

  /// Without a number, the value is not known from now on.
  void set(Value value, std::optional<int64_t> number);

  /// Assigns all at once, since a value that is read may be assigned as well.
  void assign(ValueRange to, ValueRange from);

  /// Evaluates `op` by its folder, if it has one integer result. Fails for a
  /// size without a value.
  LogicalResult evaluate(Operation *op);

  /// Returns the bounds of a loop, if all are known and its step is positive.
  std::optional<LoopBounds> getBounds(scf::ForOp loop) const;

  /// Returns the branch that is taken.
  Region &choose(scf::IfOp branch) const;

  /// Returns whether a `while` goes on, if that is known, and assigns the
  /// arguments of its body or its results.
  std::optional<bool> takeCondition(scf::ConditionOp condition);

private:
  /// Returns the integer result of `op`, if it is known.
  std::optional<int64_t> compute(Operation *op) const;
  std::optional<int64_t> fold(Operation *op) const;

  const llvm::StringMap<int64_t> &sizes;
  int64_t ctas, program = 0;
  llvm::DenseMap<Value, int64_t> numbers;
};

} // namespace tessera::timing

#endif // TESSERA_LIB_TIMING_SCALARVALUES_H
