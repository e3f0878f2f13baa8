//===- test/unittests/Simulator/ScheduleSearchTest.cpp - Searches of schedules
//*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program that is searched: agents that make a number of steps each.
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/ScheduleSearch.h"

#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <set>

using namespace tessera;
using namespace tessera::sim;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// The agents that make the steps, in order: "aab".
std::string runProgram(Chooser &chooser, ArrayRef<unsigned> steps) {
  std::string trace;
  std::vector<unsigned> agents, rest(steps.begin(), steps.end());
  for (unsigned agent = 0; agent < rest.size(); ++agent)
    agents.push_back(agent);
  while (!agents.empty()) {
    unsigned passed = chooser.choose(agents.size());
    std::rotate(agents.begin(), agents.begin() + passed, agents.end());
    trace += char('a' + agents.front());
    if (--rest[agents.front()] == 0)
      agents.erase(agents.begin());
  }
  return trace;
}

/// The schedules that a search visits, in order.
struct Found {
  Found(unsigned maxDeviations, uint64_t maxRuns, ArrayRef<unsigned> steps) {
    ScheduleSearch search(maxDeviations, maxRuns);
    bool hasMore = true;
    while (hasMore) {
      Chooser chooser(search.getSchedule());
      deviations.push_back(search.getSchedule().size());
      traces.push_back(runProgram(chooser, steps));
      EXPECT_FALSE(llvm::errorToBool(chooser.verify()));
      hasMore = search.advance(chooser.getChoices());
    }
    EXPECT_EQ(search.getRuns(), traces.size());
    isCut = search.isCut();
  }

  std::vector<std::string> traces;
  std::vector<size_t> deviations;
  bool isCut = false;
};

TEST(ScheduleSearchTest, WithoutDeviationsThereIsOne) {
  Found found(0, 100, {2, 2});
  EXPECT_THAT(found.traces, ElementsAre("aabb"));
  EXPECT_FALSE(found.isCut);
}

TEST(ScheduleSearchTest, OneDeviationAtEachChoice) {
  // The second choice has its agents as the first one left them.
  Found found(1, 100, {2, 1});
  EXPECT_THAT(found.traces, ElementsAre("aab", "baa", "aba"));
}

TEST(ScheduleSearchTest, EnoughDeviationsGiveAllOrders) {
  // 6! / (2! 2! 2!)
  Found found(6, 1000, {2, 2, 2});
  std::set<std::string> traces(found.traces.begin(), found.traces.end());
  EXPECT_EQ(traces.size(), 90u);
  EXPECT_EQ(found.traces.size(), 90u);
  EXPECT_FALSE(found.isCut);
}

TEST(ScheduleSearchTest, FewDeviationsComeFirst) {
  Found found(3, 1000, {2, 2, 2});
  EXPECT_TRUE(llvm::is_sorted(found.deviations));
  EXPECT_EQ(found.deviations.back(), 3u);
}

TEST(ScheduleSearchTest, TheLimitKeepsTheFirst) {
  Found all(2, 1000, {2, 2, 2}), some(2, 7, {2, 2, 2});
  EXPECT_TRUE(some.isCut);
  ASSERT_EQ(some.traces.size(), 7u);
  EXPECT_TRUE(
      std::equal(some.traces.begin(), some.traces.end(), all.traces.begin()));
  Found exact(2, all.traces.size(), {2, 2, 2});
  EXPECT_FALSE(exact.isCut);
  EXPECT_TRUE(Found(2, all.traces.size() - 1, {2, 2, 2}).isCut);
}

TEST(ScheduleSearchTest, OneAgentIsNoChoice) {
  Chooser chooser;
  EXPECT_EQ(chooser.choose(1), 0u);
  EXPECT_THAT(chooser.getChoices(), IsEmpty());
  EXPECT_EQ(chooser.choose(3), 0u);
  EXPECT_THAT(chooser.getChoices(), ElementsAre(3));
}

TEST(ScheduleSearchTest, DeviationsAreTextAndBack) {
  Deviations deviations = {{12, 2}, {40, 1}};
  EXPECT_EQ(toString(deviations), "12:2,40:1");
  llvm::Expected<Deviations> parsed = parseDeviations("12:2,40:1");
  ASSERT_TRUE(bool(parsed));
  EXPECT_EQ(*parsed, deviations);
  llvm::Expected<Deviations> none = parseDeviations("");
  ASSERT_TRUE(bool(none));
  EXPECT_THAT(*none, IsEmpty());
  EXPECT_EQ(toString({}), "");
}

TEST(ScheduleSearchTest, OtherTextsAreRefused) {
  auto getMessage = [](StringRef text) {
    return llvm::toString(parseDeviations(text).takeError());
  };
  std::string expected = "is no deviation; expected CHOICE:COUNT with numbers "
                         "from 1 on, as in 12:2,40:1";
  for (StringRef text :
       {"1", "1:", ":1", "0:1", "1:0", "a:1", "1:2:3", "1:-1", "1:70000"})
    EXPECT_EQ(getMessage(text), ("'" + text + "' " + expected).str());
  EXPECT_EQ(getMessage("1:1,"), "'' " + expected);
  EXPECT_EQ(getMessage("4:1,4:2"), "'4:2' does not come after '4:1'");
}

TEST(ScheduleSearchTest, SchedulesOfOtherRunsAreRefused) {
  auto getMessage = [](Deviations deviations) {
    Chooser chooser(deviations);
    runProgram(chooser, {2, 1});
    return llvm::toString(chooser.verify());
  };
  EXPECT_EQ(getMessage({{1, 2}}), "'1:2' is no schedule of this run: at choice "
                                  "1 only 2 agents can go on");
  EXPECT_EQ(getMessage({{1, 1}, {7, 1}}),
            "'1:1,7:1' is no schedule of this run: its last choice is "
            "number 1");
}

} // namespace
