//===- ClockTrace.cpp - The predicted time as a timeline ------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClockTrace.h"

#include "tessera/Support/SourcePlace.h"

#include <cmath>

using namespace tessera;
using namespace tessera::tools;

llvm::Expected<sim::Trace> tools::traceProgram(const timing::KernelClock &clock,
                                               const timing::CtaTime &time) {
  timing::Timeline timeline;
  llvm::Expected<timing::CtaTime> again =
      clock.timeProgram(time.program, time.residents, &timeline);
  if (!again)
    return again.takeError();
  sim::Trace trace;
  for (const std::string &row : timeline.rows)
    trace.addRow(time.program, row);
  for (timing::Timeline::Slice &slice : timeline.slices) {
    // Rounded alike, slices that follow each other do not overlap.
    auto begin = uint64_t(std::llround(slice.begin)),
         end = uint64_t(std::llround(slice.end));
    if (begin == end)
      continue;
    sim::Trace::Slice shown{
        std::move(slice.name), begin, end, {{"place", printPlace(slice.op)}}};
    if (!slice.reason.empty())
      shown.details.push_back({"waits for", slice.reason.str()});
    trace.add(time.program, timeline.rows[slice.row], std::move(shown));
  }
  return trace;
}
