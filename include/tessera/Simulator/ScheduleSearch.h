//===- ScheduleSearch.h - All schedules within a bound ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Delay-bounded scheduling (Emmi, Qadeer, Rakamaric). A run chooses between
// agents that can continue, and takes the first one unless a deviation says
// otherwise. The search runs the schedule without deviations, then all with one
// deviation, and so on. The first schedule that fails thus has the fewest
// deviations. Only the number of ready agents at each choice is stored: each
// run begins at the start.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_SCHEDULESEARCH_H
#define TESSERA_SIMULATOR_SCHEDULESEARCH_H

#include "tessera/Support/LLVM.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <deque>
#include <string>
#include <vector>

namespace tessera::sim {

/// At choice number `choice` of a run, counted from 1, the first `passed` ready
/// agents are skipped. They come after all other agents from there on.
struct Deviation {
  uint32_t choice = 0;
  uint16_t passed = 0;

  friend bool operator==(const Deviation &a, const Deviation &b) {
    return a.choice == b.choice && a.passed == b.passed;
  }
};

/// Deviations in ascending order of choices.
using Deviations = SmallVector<Deviation, 2>;

/// Returns the text "12:2,40:1"; empty if there are no deviations.
std::string toString(ArrayRef<Deviation> deviations);
llvm::Expected<Deviations> parseDeviations(StringRef text);

/// Makes the choices of one run.
class Chooser {
public:
  explicit Chooser(ArrayRef<Deviation> deviations = {})
      : deviations(deviations) {}

  /// Returns how many of the `agents` ready agents are skipped. A single ready
  /// agent is not a choice.
  unsigned choose(unsigned agents);
  /// Number of ready agents at each choice.
  ArrayRef<uint16_t> getChoices() const { return choices; }
  /// Checks that the deviations fit a run with these choices. They do not if
  /// the kernel or its arguments differ.
  llvm::Error verify() const;

private:
  Deviations deviations;
  size_t next = 0;
  std::vector<uint16_t> choices;
  std::string mismatch;
};

class ScheduleSearch {
public:
  ScheduleSearch(unsigned maxDeviations, uint64_t maxRuns)
      : maxDeviations(maxDeviations), maxRuns(maxRuns), pending(1) {}

  /// Returns the schedule to run next.
  ArrayRef<Deviation> getSchedule() const { return pending.front(); }
  /// Records that this schedule was run with these choices. Returns whether
  /// another schedule is pending.
  bool advance(ArrayRef<uint16_t> choices);

  uint64_t getRuns() const { return runs; }
  /// Checks whether `maxRuns` excluded schedules with at most `maxDeviations`
  /// deviations.
  bool isCut() const { return cut; }

private:
  unsigned maxDeviations;
  uint64_t maxRuns, runs = 0;
  bool cut = false;
  /// In ascending order of the number of deviations.
  std::deque<Deviations> pending;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_SCHEDULESEARCH_H
