//===- Timeline.h - What the agents of a CTA do over time -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slices of time of one CTA, in cycles, as KernelClock runs it: pieces of
// register work, waits, MMAs on the tensor cores, and copies.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TIMING_TIMELINE_H
#define TESSERA_TIMING_TIMELINE_H

#include "tessera/Support/LLVM.h"

#include <string>
#include <vector>

namespace tessera::timing {

struct Timeline {
  struct Slice {
    /// The number of the row.
    size_t row;
    std::string name;
    double begin, end;
    Operation *op;
    /// The event that the agent waits for; empty if it works.
    StringRef reason;
  };

  /// Adds a row and returns its number.
  size_t addRow(std::string name) {
    rows.push_back(std::move(name));
    return rows.size() - 1;
  }
  /// Adds a slice, unless it is empty or there are too many.
  void add(Slice slice) {
    if (slice.end - slice.begin >= 0.5 && slices.size() < kMostSlices)
      slices.push_back(std::move(slice));
  }

  std::vector<std::string> rows;
  std::vector<Slice> slices;

private:
  /// A viewer needs seconds for more.
  static constexpr size_t kMostSlices = 200000;
};

} // namespace tessera::timing

#endif // TESSERA_TIMING_TIMELINE_H
