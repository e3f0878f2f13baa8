//===- TimingTest.cpp - Timing of launches ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The protocol as the driver sees it, and the arithmetic of its result.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/Timing.h"
#include "KernelFixture.h"

#include "gmock/gmock.h"
#include <chrono>

using namespace tessera;
using namespace tessera::rt;
using testing::DoubleNear;
using testing::ElementsAre;

namespace {

class TimingTest : public FakeDriverTest {
protected:
  TimingTest() {
    options.idle = 0;
    options.flushBytes = 1024;
  }
  TimingOptions options;
};

TEST_F(TimingTest, Summary) {
  TimingResult result = summarize({5, 1, 2, 4, 3, 6, 7, 8, 9, 10, 11});
  EXPECT_EQ(result.median, 6);
  EXPECT_EQ(result.min, 1);
  EXPECT_EQ(result.max, 11);
  EXPECT_THAT(result.spread, DoubleNear(8.0 / 6, 1e-12)) << "deciles 2 and 10";
  EXPECT_EQ(summarize({2, 1}).median, 1.5);
  EXPECT_EQ(summarize({3}).spread, 0);
  EXPECT_EQ(summarize({0, 0}).spread, 0);
}

TEST_F(TimingTest, FlushesBeforeAndMeasuresAroundTheWork) {
  Stream stream = unwrap(Stream::create(openDevice()));
  fakecuda::setTimes({10, 3, 1, 2});
  options.burst = 25;
  options.minRepetitions = 1;
  unsigned calls = 0;
  TimingResult result = unwrap(measure(
      stream,
      [&] {
        ++calls;
        return llvm::Error::success();
      },
      options));
  EXPECT_EQ(calls, 4u) << "a warm-up of 10 ms and 3 repetitions in 25 ms";
  EXPECT_THAT(result.samples, ElementsAre(1, 2, 3));
  EXPECT_EQ(result.median, 2);
  // The last repetition, then the wait, the times, and the released events.
  std::vector<std::string> log = logFrom("cuMemsetD8Async");
  log.resize(4);
  EXPECT_THAT(log, ElementsAre("cuMemsetD8Async 1024", "cuEventRecord",
                               "cuEventRecord", "cuStreamSynchronize"));
}

TEST_F(TimingTest, TheNumberOfRepetitionsHasBounds) {
  Stream stream = unwrap(Stream::create(openDevice()));
  unsigned calls = 0;
  auto work = [&] {
    ++calls;
    return llvm::Error::success();
  };
  options.maxRepetitions = 20;
  fakecuda::setTimes({0.001f});
  unwrap(measure(stream, work, options));
  EXPECT_EQ(calls, 21u);
  calls = 0;
  fakecuda::setTimes({1000});
  unwrap(measure(stream, work, options));
  EXPECT_EQ(calls, 6u);
  calls = 0;
  options.warmUps = 0;
  options.minRepetitions = 0;
  unwrap(measure(stream, work, options));
  EXPECT_EQ(calls, 1u) << "one sample at least";
}

TEST_F(TimingTest, SustainedIsMeasuredUnderLoad) {
  TimingOptions sustained = TimingOptions::getSustained();
  EXPECT_EQ(sustained.idle, 0);
  EXPECT_GE(sustained.load, 1);
  Stream stream = unwrap(Stream::create(openDevice()));
  options.load = 0.05;
  options.burst = 5;
  unsigned calls = 0;
  auto work = [&] {
    ++calls;
    return llvm::Error::success();
  };
  auto start = std::chrono::steady_clock::now();
  TimingResult result = unwrap(measure(stream, work, options));
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  EXPECT_GE(passed.count(), 0.05);
  EXPECT_EQ(result.samples.size(), 5u);
  // A warm-up, batches of 20 ms for work of 1 ms, the repetitions.
  EXPECT_GE(calls, 26u);
  EXPECT_EQ((calls - 6) % 20, 0u);
  EXPECT_EQ(textOf(measure(
                stream,
                [&, left = 3]() mutable {
                  return left-- ? llvm::Error::success()
                                : llvm::createStringError("under load");
                },
                options)),
            "under load");
}

TEST_F(TimingTest, AWarmCacheIsNotFlushed) {
  Stream stream = unwrap(Stream::create(openDevice()));
  options.flushBytes = 0;
  unwrap(measure(stream, [] { return llvm::Error::success(); }, options));
  EXPECT_TRUE(logFrom("cuMemsetD8Async").empty());
  EXPECT_TRUE(logFrom("cuMemAlloc").empty());
}

TEST_F(TimingTest, FailuresEndTheMeasurement) {
  Stream stream = unwrap(Stream::create(openDevice()));
  EXPECT_EQ(textOf(measure(
                stream, [] { return llvm::createStringError("no launch"); },
                options)),
            "no launch");
  auto work = [] { return llvm::Error::success(); };
  for (const char *call :
       {"cuMemAlloc", "cuMemsetD8Async", "cuEventCreate", "cuEventRecord",
        "cuStreamSynchronize", "cuEventElapsedTime"}) {
    // At the first call, and at one among the repetitions.
    for (int skip : {0, call == std::string("cuMemAlloc") ? 0 : 2}) {
      fakecuda::failAt(call, 1, skip);
      if (call == std::string("cuMemAlloc") && skip)
        continue;
      EXPECT_EQ(textOf(measure(stream, work, options)),
                std::string(call) + ": CUDA_ERROR_INVALID_VALUE");
    }
  }
}

} // namespace
