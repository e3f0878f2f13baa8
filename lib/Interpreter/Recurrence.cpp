//===- Recurrence.cpp - Loops that never end --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/Recurrence.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::interp;

bool interp::hasSameBits(const RuntimeValue &value, const RuntimeValue &other) {
  if (auto *tile = std::get_if<Tile>(&value))
    return tile->hasSameBits(std::get<Tile>(other));
  if (auto *range = std::get_if<IndexRange>(&value)) {
    const auto &second = std::get<IndexRange>(other);
    return range->start == second.start && range->limit == second.limit;
  }
  return false;
}

bool Recurrence::note(ArrayRef<RuntimeValue> values) {
  if (iterations && llvm::all_of(llvm::zip_equal(values, kept), [](auto pair) {
        return hasSameBits(std::get<0>(pair), std::get<1>(pair));
      }))
    return true;
  if (llvm::isPowerOf2_64(++iterations))
    kept.assign(values.begin(), values.end());
  return false;
}
