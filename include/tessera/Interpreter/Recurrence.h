//===- Recurrence.h - Loops that never end ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds a loop that never ends: values that it carries recur, and an iteration
// depends on nothing else (tile::isEndlessIfRepeated). By Brent's algorithm, it
// keeps the values of iterations 1, 2, 4, 8, … and compares the following ones.
// So it finds a cycle of any length.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_RECURRENCE_H
#define TESSERA_INTERPRETER_RECURRENCE_H

#include "tessera/Interpreter/RuntimeValue.h"

#include <vector>

namespace tessera::interp {

/// The error of a loop whose values recur, and the way out.
inline constexpr const char *kEndlessLoop =
    "the loop never ends: an iteration begins with the values of an earlier "
    "one, and nothing else changes in the loop";
inline constexpr const char *kEndlessLoopAdvice =
    "change a `var` of the condition in the body, or `break` after a number of "
    "iterations";

/// Checks whether two values of one loop are equal, to the bit. Handles of the
/// simulated machine are never equal.
bool hasSameBits(const RuntimeValue &value, const RuntimeValue &other);

class Recurrence {
public:
  /// Takes the values at the end of an iteration. Returns whether they are
  /// those of an earlier one, to the bit.
  bool note(ArrayRef<RuntimeValue> values);

private:
  uint64_t iterations = 0;
  std::vector<RuntimeValue> kept;
};

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_RECURRENCE_H
