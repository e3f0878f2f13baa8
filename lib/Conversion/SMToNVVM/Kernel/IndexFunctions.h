//===- IndexFunctions.h - Tables per thread as code -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table contains, for every thread, the address or coordinate of each of
// several items. It is computed from layouts, never by formulas. This file
// converts such a table to code. Bits of the lane and warp numbers contribute
// constants that are added or, under a swizzle, combined by exclusive or. Items
// differ from each other by a constant. Other tables become selects, so every
// table has code.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_INDEXFUNCTIONS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_INDEXFUNCTIONS_H

#include "LoweringContext.h"

namespace tessera::sm {

class IndexFunctions {
public:
  IndexFunctions(int64_t warps, int64_t items)
      : warps(warps), items(items), numbers(warps * 32 * items) {}

  int64_t &at(int64_t warp, int64_t lane, int64_t item) {
    return numbers[item * warps * 32 + warp * 32 + lane];
  }

  /// Emits `base`, an i32, plus the number of each item for the executing
  /// thread.
  SmallVector<Value> emit(OpBuilder &builder, Location loc,
                          const ThreadGroup &threads, Value base) const;

private:
  ArrayRef<int64_t> getItem(int64_t item) const {
    return ArrayRef(numbers).slice(item * warps * 32, warps * 32);
  }

  int64_t warps, items;
  std::vector<int64_t> numbers;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_INDEXFUNCTIONS_H
