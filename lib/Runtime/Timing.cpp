//===- Timing.cpp - Timing of launches --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records a pair of events around every repetition. The host waits once, at the
// end.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/Timing.h"

#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <cmath>
#include <thread>

using namespace tessera::rt;
using llvm::Error;
using llvm::Expected;

/// Returns the value at `fraction` of sorted samples, interpolated.
static double getQuantile(llvm::ArrayRef<double> samples, double fraction) {
  double position = fraction * (samples.size() - 1);
  size_t below = std::floor(position);
  size_t above = std::min(below + 1, samples.size() - 1);
  double weight = position - below;
  return samples[below] * (1 - weight) + samples[above] * weight;
}

/// Load that is queued at once, in milliseconds. The host reads its clock in
/// between, and the device is not idle for long.
static constexpr double kLoadBatch = 20;

TimingOptions TimingOptions::getSustained() {
  TimingOptions options;
  options.idle = 0;
  options.load = 2;
  options.burst = 500;
  return options;
}

TimingResult tessera::rt::summarize(std::vector<double> samples) {
  llvm::sort(samples);
  TimingResult result;
  result.median = getQuantile(samples, 0.5);
  result.min = samples.front();
  result.max = samples.back();
  if (result.median > 0)
    result.spread =
        (getQuantile(samples, 0.9) - getQuantile(samples, 0.1)) / result.median;
  result.samples = std::move(samples);
  return result;
}

namespace {
/// The events around one repetition.
struct Interval {
  Event start, stop;

  static Expected<Interval> create(const DeviceRef &device) {
    Expected<Event> start = Event::create(device);
    if (!start)
      return start.takeError();
    Expected<Event> stop = Event::create(device);
    if (!stop)
      return stop.takeError();
    return Interval{std::move(*start), std::move(*stop)};
  }

  /// Queues the flush and one repetition.
  Error queue(const Stream &stream, llvm::function_ref<Error()> work,
              const DeviceBuffer &flush) const {
    if (Error error = flush.size() ? flush.fill(0, stream) : Error::success())
      return error;
    if (Error error = start.record(stream))
      return error;
    if (Error error = work())
      return error;
    return stop.record(stream);
  }
};
} // namespace

/// Repeats work of about `estimate` milliseconds for `options.load` seconds.
static Error keepBusy(const Stream &stream, llvm::function_ref<Error()> work,
                      const DeviceBuffer &flush, double estimate,
                      const TimingOptions &options) {
  using Clock = std::chrono::steady_clock;
  unsigned batch = std::clamp<double>(
      estimate > 0 ? kLoadBatch / estimate : kLoadBatch, 1, 500);
  std::chrono::duration<double> load(options.load), spent(0);
  auto begin = Clock::now();
  for (; spent < load; spent = Clock::now() - begin) {
    if (options.progress)
      options.progress(1000 * spent.count(), 1000 * load.count());
    for (unsigned i = 0; i < batch; ++i) {
      if (flush.size())
        if (Error error = flush.fill(0, stream))
          return error;
      if (Error error = work())
        return error;
    }
    if (Error error = stream.wait())
      return error;
  }
  return Error::success();
}

Expected<TimingResult> tessera::rt::measure(const Stream &stream,
                                            llvm::function_ref<Error()> work,
                                            const TimingOptions &options) {
  const DeviceRef &device = stream.getDeviceRef();
  Expected<DeviceBuffer> flush =
      DeviceBuffer::allocate(device, options.flushBytes);
  if (!flush)
    return flush.takeError();
  if (Error error = stream.wait())
    return error;
  if (options.idle > 0)
    std::this_thread::sleep_for(std::chrono::duration<double>(options.idle));

  double estimate = 0;
  for (unsigned i = 0; i < options.warmUps; ++i) {
    Expected<Interval> interval = Interval::create(device);
    if (!interval)
      return interval.takeError();
    if (Error error = interval->queue(stream, work, *flush))
      return error;
    if (Error error = stream.wait())
      return error;
    Expected<double> time =
        interval->stop.getMillisecondsSince(interval->start);
    if (!time)
      return time.takeError();
    estimate = *time;
  }

  double wanted = estimate > 0 ? std::ceil(options.burst / estimate)
                               : options.minRepetitions;
  unsigned least = std::max(options.minRepetitions, 1u);
  unsigned repetitions = std::clamp<double>(
      wanted, least, std::max(options.maxRepetitions, least));
  std::vector<Interval> intervals;
  for (unsigned i = 0; i < repetitions; ++i) {
    Expected<Interval> interval = Interval::create(device);
    if (!interval)
      return interval.takeError();
    intervals.push_back(std::move(*interval));
  }
  if (Error error = keepBusy(stream, work, *flush, estimate, options))
    return error;
  for (const Interval &interval : intervals)
    if (Error error = interval.queue(stream, work, *flush))
      return error;
  if (Error error = stream.wait())
    return error;
  std::vector<double> samples;
  for (const Interval &interval : intervals) {
    Expected<double> time = interval.stop.getMillisecondsSince(interval.start);
    if (!time)
      return time.takeError();
    samples.push_back(*time);
  }
  return summarize(std::move(samples));
}
