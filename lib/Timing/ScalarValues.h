//===- ScalarValues.h - Scalars of a kernel without tiles -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integers of a kernel that the clock knows while it follows control flow:
// constants, sizes, and all that can be computed from them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TIMING_SCALARVALUES_H
#define TESSERA_LIB_TIMING_SCALARVALUES_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace tessera::timing {

class ScalarValues {
public:
  /// `sizes` must outlive this object.
  ScalarValues(sm::KernelOp kernel, const llvm::StringMap<int64_t> &sizes);

  /// Returns the value, if it is known.
  std::optional<int64_t> get(Value value) const;

  /// Without a number, the value is not known from now on.
  void set(Value value, std::optional<int64_t> number);

  /// Assigns all at once, since a value that is read may be assigned as well.
  void assign(ValueRange to, ValueRange from);

  /// Evaluates `op` by its folder, if it has one integer result. Fails for a
  /// size without a value.
  LogicalResult evaluate(Operation *op);

private:
  const llvm::StringMap<int64_t> &sizes;
  llvm::DenseMap<Value, int64_t> numbers;
};

} // namespace tessera::timing

#endif // TESSERA_LIB_TIMING_SCALARVALUES_H
