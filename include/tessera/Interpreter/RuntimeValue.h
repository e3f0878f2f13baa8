//===- RuntimeValue.h - What an SSA value holds -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of an SSA value while a program runs: a tile or scalar, a range, or
// a global tensor.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_RUNTIMEVALUE_H
#define TESSERA_INTERPRETER_RUNTIMEVALUE_H

#include "tessera/Interpreter/Tile.h"

#include <algorithm>

namespace tessera::interp {

class GlobalTensor;

/// The value of a `!tile.range`: indices start, …, start + extent - 1, of which
/// those below the limit are valid.
struct IndexRange {
  int64_t start = 0;
  int64_t extent = 0;
  int64_t limit = 0;

  /// The position of element `i`; it wraps, as index arithmetic does.
  int64_t at(int64_t i) const { return int64_t(uint64_t(start) + uint64_t(i)); }
  int64_t getEnd() const { return std::min(at(extent), limit); }
  bool isFull() const {
    return start >= 0 && at(extent) >= start && at(extent) <= limit;
  }
};

/// A tile (or scalar), a range, or a tensor parameter.
using RuntimeValue = std::variant<Tile, IndexRange, GlobalTensor *>;

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_RUNTIMEVALUE_H
