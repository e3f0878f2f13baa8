//===- Histogram.cpp - Distribution of samples ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Histogram.h"

#include "tessera/Tools/launch/Table.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::tools;

static constexpr size_t kMostIntervals = 16, kLongestBar = 50;

void tools::printHistogram(llvm::ArrayRef<double> samples, llvm::StringRef unit,
                           llvm::raw_ostream &os) {
  double least = samples.front(), range = samples.back() - least;
  // The number of intervals follows from that of the samples (square-root
  // rule). Equal samples have one interval.
  size_t intervals = std::clamp<size_t>(
      2 * std::lround(std::sqrt(samples.size())), 1, kMostIntervals);
  if (range <= 0)
    intervals = 1;
  std::vector<size_t> counts(intervals);
  for (double sample : samples) {
    double place = range > 0 ? (sample - least) / range * intervals : 0;
    ++counts[std::min(static_cast<size_t>(place), intervals - 1)];
  }
  size_t most = *std::max_element(counts.begin(), counts.end());
  Table table;
  table.addRow({unit.str(), "runs", ""});
  for (size_t i = 0; i < intervals; ++i)
    table.addRow(
        {llvm::formatv("{0:f2}", least + range * i / intervals).str(),
         std::to_string(counts[i]),
         // Round up, so that small counts remain visible.
         std::string((counts[i] * kLongestBar + most - 1) / most, '#')});
  table.print(os);
}
