//===- Progress.h - Progress of long work -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SUPPORT_PROGRESS_H
#define TESSERA_SUPPORT_PROGRESS_H

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace tessera {

/// Called after each part of the work, with the number of completed parts.
using ProgressHandler = std::function<void(uint64_t done, uint64_t total)>;

/// Default limits of a run: an endless loop ends after about 20 s.
/// Operations of the interpreter, of code for the processor, and of the
/// simulator.
inline constexpr uint64_t kDefaultOperationLimit = 300'000'000;
/// Instructions of the emulator.
inline constexpr uint64_t kDefaultInstructionLimit = 1'500'000'000;

/// A limit on the steps of a run, which the user may also interrupt.
class StepLimit {
public:
  /// Returns whether the run must end.
  using Interrupt = std::function<bool()>;

  StepLimit(uint64_t limit) : limit(limit) {}
  StepLimit(uint64_t limit, Interrupt interrupt)
      : limit(limit), interrupt(std::move(interrupt)) {}

  uint64_t get() const { return limit; }
  operator uint64_t() const { return limit; }
  /// Returns the error of a run that the limit ends; `steps` names the steps.
  std::string describe(const char *steps) const {
    return "the step limit of " + std::to_string(limit) + " executed " + steps +
           " is reached (a loop may never end; --step-limit raises the limit)";
  }
  /// Checks whether a run ends at this step, counted from 1.
  bool isReached(uint64_t step) const {
    return step > limit ||
           (interrupt && step % kStepsPerPoll == 0 && interrupt());
  }

private:
  static constexpr uint64_t kStepsPerPoll = 64;

  uint64_t limit;
  Interrupt interrupt;
};

} // namespace tessera

#endif // TESSERA_SUPPORT_PROGRESS_H
