//===- Timing.h - Timing of launches ----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Timing of work on the device. A GPU's clock depends on its temperature and
// power, so a number is meaningful only with its protocol. There are two
// protocols. In a *burst*, the device rests, is warmed up, and then repeats the
// work for a time too short for the power limit to act. *Sustained*, it is kept
// under load until the limit has settled, and is measured under it. The L2
// cache is overwritten before every repetition. Compare only numbers of one
// protocol and one process.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_TIMING_H
#define TESSERA_RUNTIME_TIMING_H

#include "tessera/Runtime/Device.h"
#include "tessera/Support/Progress.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace tessera::rt {

struct TimingOptions {
  /// Rest before the burst, in seconds.
  double idle = 0.4;
  unsigned warmUps = 1;
  /// Load before the repetitions, in seconds of the host's clock.
  double load = 0;
  /// Total time of the repetitions in milliseconds, without flushes. Their
  /// number follows from the time of the last warm-up.
  double burst = 25;
  unsigned minRepetitions = 5;
  unsigned maxRepetitions = 1000;
  /// Bytes that are written before each repetition; 0 to keep the cache warm.
  size_t flushBytes = size_t(256) << 20;
  /// Receives the progress of the load, in milliseconds; may be empty.
  ProgressHandler progress;

  /// Returns the options of the sustained protocol. The burst is the default.
  static TimingOptions getSustained();
};

/// Times in milliseconds.
struct TimingResult {
  /// One per repetition, sorted.
  std::vector<double> samples;
  double median = 0;
  double min = 0;
  double max = 0;
  /// The distance between the first and the ninth decile, relative to the
  /// median. For example, 0.02 means that the times agree to about 2 %.
  double spread = 0;
};

/// Summarises at least one sample.
TimingResult summarize(std::vector<double> samples);

/// Times `work`, which queues on `stream`. Fails with the first error of the
/// driver or of `work`.
llvm::Expected<TimingResult> measure(const Stream &stream,
                                     llvm::function_ref<llvm::Error()> work,
                                     const TimingOptions &options = {});

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_TIMING_H
