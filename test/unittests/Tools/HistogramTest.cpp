//===- HistogramTest.cpp --------------------------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Histogram.h"

#include "gtest/gtest.h"

using namespace tessera::tools;

static std::string print(llvm::ArrayRef<double> samples) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printHistogram(samples, "us", os);
  return text;
}

TEST(HistogramTest, CountsSamplesByIntervals) {
  EXPECT_EQ(print({1, 1.5, 1.9, 5}), "us    runs\n"
                                     "1.00  3     " +
                                         std::string(50, '#') +
                                         "\n"
                                         "2.00  0\n"
                                         "3.00  0\n"
                                         "4.00  1     " +
                                         std::string(17, '#') + "\n");
}

TEST(HistogramTest, HasOneIntervalForEqualSamples) {
  std::string bar(50, '#');
  EXPECT_EQ(print({2, 2, 2, 2}), "us    runs\n2.00  4     " + bar + "\n");
  EXPECT_EQ(print({7}), "us    runs\n7.00  1     " + bar + "\n");
}

TEST(HistogramTest, HasSixteenIntervalsAtMost) {
  std::vector<double> samples;
  for (int i = 0; i < 1000; ++i)
    samples.push_back(i);
  std::string text = print(samples);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 17);
}
