//===- ScheduleSearch.h - All schedules within a bound ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run makes choices between agents that could go on. Without deviations it
// takes the first one each time. A search runs the schedules with no deviation,
// then all with one, and so on (Emmi, Qadeer, Rakamaric, "Delay-bounded
// scheduling"), so that the first that fails is one of the simplest. Nothing is
// stored of a run but how many agents each choice had: runs are repeated from
// the start.
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

/// At choice number `choice` of a run, counted from 1, the first `passed` of
/// the agents that could go on are passed over: they come after all others from
/// there on.
struct Deviation {
  uint32_t choice = 0;
  uint16_t passed = 0;

  friend bool operator==(const Deviation &a, const Deviation &b) {
    return a.choice == b.choice && a.passed == b.passed;
  }
};

/// By rising choices.
using Deviations = SmallVector<Deviation, 2>;

/// "12:2,40:1"; empty if there are none.
std::string toString(ArrayRef<Deviation> deviations);
llvm::Expected<Deviations> parseDeviations(StringRef text);

/// Makes the choices of one run.
class Chooser {
public:
  explicit Chooser(ArrayRef<Deviation> deviations = {})
      : deviations(deviations) {}

  /// How many of `agents` that can go on are passed over. Where there is only
  /// one, that is no choice.
  unsigned choose(unsigned agents);
  /// By choice, how many agents could go on.
  ArrayRef<uint16_t> getChoices() const { return choices; }
  /// Whether the deviations are those of a run with these choices; they are not
  /// if another kernel is run, or other arguments are given.
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

  /// The schedule to run.
  ArrayRef<Deviation> getSchedule() const { return pending.front(); }
  /// It was run, with these choices. Says whether there is another one.
  bool advance(ArrayRef<uint16_t> choices);

  uint64_t getRuns() const { return runs; }
  /// Whether `maxRuns` has kept schedules with no more than `maxDeviations`
  /// from being run.
  bool isCut() const { return cut; }

private:
  unsigned maxDeviations;
  uint64_t maxRuns, runs = 0;
  bool cut = false;
  /// By rising number of deviations.
  std::deque<Deviations> pending;
};

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_SCHEDULESEARCH_H
