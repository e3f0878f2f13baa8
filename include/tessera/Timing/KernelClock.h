//===- KernelClock.h - Time of a kernel in cycles ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts how many cycles a kernel takes, from its final form (phase `fence`):
// roles with mbarriers, MMAs in flight, copies and fences. Scalars have values,
// tiles have none. Each warpgroup of a role is an agent of a Multiprocessor.
// docs/design/clock.md has the model, its constants and its errors.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TIMING_KERNELCLOCK_H
#define TESSERA_TIMING_KERNELCLOCK_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Timing/Timeline.h"
#include "tessera/Timing/TimingConstants.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace tessera::timing {

/// Returns the value of a named size, if it is known.
std::optional<int64_t> lookupSize(const llvm::StringMap<int64_t> &sizes,
                                  StringRef name);

/// A loop of one agent: when its iterations ended.
struct LoopTime {
  Operation *loop;
  sm::RoleOp role;
  /// The number of the warpgroup in its role.
  unsigned warpgroup;
  /// Iterations that were peeled off and ran before the loop.
  int64_t peeled;
  std::vector<double> ends;

  /// Returns the cycles of an iteration in the second half of the loop; 0 for
  /// fewer than four iterations.
  double getPeriod() const;
};

struct CtaTime {
  /// Its program, or the first one of a persistent CTA, and the equal CTAs on
  /// the multiprocessor, itself included.
  int64_t program = 0, residents = 1;
  double cycles = 0;
  /// Cycles in which the tensor cores had work.
  double tensorCycles = 0;
  /// The energy of its MMAs, copies and register work, in units of
  /// TimingConstants.
  double energy = 0;
  /// Cycles in which its loads and stores by threads take the multiprocessor's
  /// share of L2 and memory.
  double trafficCycles = 0;
  /// Cycles of the unit that its work needs most.
  double demand = 0;
  /// The loops that issue MMAs.
  std::vector<LoopTime> loops;
};

struct LaunchTime {
  int64_t programs = 0;
  /// CTAs that share a multiprocessor.
  int64_t residents = 1;
  double cycles = 0;
  double tensorCycles = 0;
  double seconds = 0;
  /// The longest program.
  CtaTime longest;
};

class KernelClock {
public:
  /// `sizes` has a value for each size of `kernel`, and for parameters of type
  /// index.
  KernelClock(sm::KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
              TimingConstants constants = {});

  /// Checks whether the conditions of the kernel, if it is a variant, hold.
  bool meetsConditions() const;

  /// Runs one program, or all programs of one persistent CTA, next to
  /// `residents - 1` equal CTAs. Fails if control flow depends on values that
  /// are not known, or if the roles wait for each other. Adds what the CTA does
  /// to `timeline`.
  llvm::Expected<CtaTime> timeProgram(int64_t program, int64_t residents,
                                      Timeline *timeline = nullptr) const;

  /// Returns the time of a whole launch.
  llvm::Expected<LaunchTime> timeLaunch() const;

private:
  std::optional<int64_t> evaluate(tile::SizeAttr size) const;
  /// Checks whether all programs execute the same operations.
  bool hasEqualPrograms() const;
  /// CTAs that are timed. The first ones are the shortest and the longest;
  /// the others represent all.
  struct Sample {
    std::vector<int64_t> programs;
    size_t extremes = 0;
  };
  /// Picks at most `most` of the CTAs that begin with programs below `starts`,
  /// evenly by their number of iterations. `ctas` run at a time.
  Sample pickPrograms(int64_t starts, int64_t ctas, int64_t most) const;
  /// Returns the bytes of all tensors whose sizes are known.
  double getTensorBytes() const;
  /// Returns how much longer CTAs take than those of `time`, which run in step.
  /// Without roles, each CTA waits for its loads, and the multiprocessor is
  /// idle whenever all of them do. The result is a factor.
  llvm::Expected<double> getSlowdown(const CtaTime &time) const;

  sm::KernelOp kernel;
  llvm::StringMap<int64_t> sizes;
  TimingConstants constants;
};

} // namespace tessera::timing

#endif // TESSERA_TIMING_KERNELCLOCK_H
