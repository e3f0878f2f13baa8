//===- ProgressBarTest.cpp ------------------------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/ProgressBar.h"

#include "gtest/gtest.h"

using namespace tessera::tools;
using std::chrono::milliseconds;

namespace {
class ProgressBarTest : public testing::Test {
protected:
  /// Returns the text of an update at a time after the start.
  std::string update(ProgressBar &bar, uint64_t done, uint64_t total,
                     int64_t ms) {
    text.clear();
    bar.update(done, total, start + milliseconds(ms));
    return text;
  }

  std::string text;
  llvm::raw_string_ostream os{text};
  ProgressBar::Clock::time_point start = ProgressBar::Clock::now();
};

TEST_F(ProgressBarTest, AppearsAfterASecond) {
  ProgressBar bar("programs", os, /*isTerminal=*/true);
  EXPECT_EQ(update(bar, 1, 8, 500), "");
  EXPECT_EQ(update(bar, 2, 8, 4000),
            "\r[#####...............]  25 %, 2 of 8 programs, 12 s left\x1b[K");
}

TEST_F(ProgressBarTest, IsDrawnTenTimesASecond) {
  ProgressBar bar("programs", os, /*isTerminal=*/true);
  EXPECT_NE(update(bar, 1, 8, 2000), "");
  EXPECT_EQ(update(bar, 2, 8, 2050), "");
  EXPECT_NE(update(bar, 3, 8, 2150), "");
}

TEST_F(ProgressBarTest, IsGoneAfterTheLastPart) {
  ProgressBar bar("programs", os, /*isTerminal=*/true);
  update(bar, 1, 2, 2000);
  EXPECT_EQ(update(bar, 2, 2, 2010), "\r\x1b[K");
  text.clear();
  bar.clear();
  EXPECT_EQ(text, "");
}

TEST_F(ProgressBarTest, CountsRuns) {
  ProgressBar bar("clusters", os, /*isTerminal=*/true);
  update(bar, 4, 4, 1500);
  EXPECT_EQ(update(bar, 1, 4, 2000),
            "\r[#####...............]  25 %, run 2, 1 of 4 clusters\x1b[K");
}

TEST_F(ProgressBarTest, IsForTerminals) {
  ProgressBar bar("programs", os, /*isTerminal=*/false);
  EXPECT_EQ(update(bar, 1, 8, 5000), "");
}
} // namespace
