//===- ScheduleSearch.cpp - All schedules within a bound ------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: enumerate all schedules with at most `maxDeviations` deviations,
// each once, those with fewer deviations first.
//
// Method: stateless search with delay bounding (Emmi, Qadeer, Rakamaric),
// breadth first. A queue holds schedules to run. After a run, its schedule is
// extended by one deviation at each later choice, for each number of skipped
// agents.
//
// Invariant: the queue is sorted by the number of deviations. A schedule is
// only created from the schedule without its last deviation, so no schedule
// runs twice.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/ScheduleSearch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::sim;

//===----------------------------------------------------------------------===//
// Deviations
//===----------------------------------------------------------------------===//

std::string sim::toString(ArrayRef<Deviation> deviations) {
  auto texts = llvm::map_range(deviations, [](const Deviation &deviation) {
    return llvm::formatv("{0}:{1}", deviation.choice, deviation.passed).str();
  });
  return llvm::join(texts, ",");
}

llvm::Expected<Deviations> sim::parseDeviations(StringRef text) {
  Deviations result;
  for (StringRef word : llvm::split(text, ',')) {
    if (text.empty())
      break;
    auto [choice, passed] = word.split(':');
    Deviation deviation;
    if (choice.getAsInteger(10, deviation.choice) ||
        passed.getAsInteger(10, deviation.passed) || deviation.choice == 0 ||
        deviation.passed == 0)
      return llvm::createStringError("'" + word +
                                     "' is no deviation; expected CHOICE:COUNT "
                                     "with numbers from 1 on, as in 12:2,40:1");
    if (!result.empty() && result.back().choice >= deviation.choice)
      return llvm::createStringError("'" + word + "' does not come after '" +
                                     toString(result.back()) + "'");
    result.push_back(deviation);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Chooser
//===----------------------------------------------------------------------===//

unsigned Chooser::choose(unsigned agents) {
  if (agents < 2)
    return 0;
  choices.push_back(agents);
  if (next == deviations.size() || deviations[next].choice != choices.size())
    return 0;
  const Deviation &deviation = deviations[next++];
  if (deviation.passed < agents)
    return deviation.passed;
  if (mismatch.empty())
    mismatch = llvm::formatv("at choice {0} only {1} agents can go on",
                             deviation.choice, agents);
  return 0;
}

llvm::Error Chooser::verify() const {
  std::string text = mismatch;
  if (text.empty() && next != deviations.size())
    text = llvm::formatv("its last choice is number {0}", choices.size());
  if (text.empty())
    return llvm::Error::success();
  return llvm::createStringError("'" + toString(deviations) +
                                 "' is no schedule of this run: " + text);
}

//===----------------------------------------------------------------------===//
// ScheduleSearch
//===----------------------------------------------------------------------===//

bool ScheduleSearch::advance(ArrayRef<uint16_t> choices) {
  ++runs;
  Deviations schedule = std::move(pending.front());
  pending.pop_front();
  // Each schedule extends the one without its last deviation, so it is created
  // once.
  size_t first = schedule.empty() ? 0 : schedule.back().choice;
  if (schedule.size() == maxDeviations)
    first = choices.size();
  for (size_t i = first; i < choices.size(); ++i)
    for (uint16_t passed = 1; passed < choices[i]; ++passed) {
      cut |= runs + pending.size() >= maxRuns;
      if (cut)
        return !pending.empty();
      pending.push_back(schedule);
      pending.back().push_back({static_cast<uint32_t>(i + 1), passed});
    }
  return !pending.empty();
}
