//===- RuntimeValue.h - Runtime values of SSA values ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime value of an SSA value: a tile or scalar, a range, a global
// tensor, or a handle of the simulated machine.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_RUNTIMEVALUE_H
#define TESSERA_INTERPRETER_RUNTIMEVALUE_H

#include "tessera/Interpreter/Tile.h"

#include <algorithm>

namespace tessera::interp {

class GlobalTensor;

/// The value of a `!tile.range`: indices start, …, start + extent - 1. Indices
/// below the limit are valid.
struct IndexRange {
  int64_t start = 0;
  int64_t extent = 0;
  int64_t limit = 0;

  /// Returns the position of element `i`; it wraps, like index arithmetic.
  int64_t at(int64_t i) const { return int64_t(uint64_t(start) + uint64_t(i)); }
  /// Returns the lesser of the end of the positions and the limit. Positions
  /// beyond 64 bits wrap around, and none of these is below the limit.
  int64_t getEnd() const {
    return at(extent) < start ? limit : std::min(at(extent), limit);
  }
  /// Checks whether position `i` is below the limit.
  bool isValid(int64_t i) const { return at(i) >= start && at(i) < limit; }
  bool isFull() const {
    return start >= 0 && at(extent) >= start && at(extent) <= limit;
  }
};

/// A handle of the simulated machine: an address in shared memory, or the
/// number of a barrier, ring or product. The type of the SSA value determines
/// the kind. `part` is the stage of a slot.
struct Handle {
  int64_t number = 0;
  int64_t part = 0;
};

/// A tile (or scalar), a range, a tensor parameter, or a handle.
using RuntimeValue = std::variant<Tile, IndexRange, GlobalTensor *, Handle>;

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_RUNTIMEVALUE_H
