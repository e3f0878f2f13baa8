//===- ConfigurationChoice.h - Configurations by time -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the values of compile-time parameters for which a kernel declares
// several: those with the least predicted time at the sizes of a call
// (docs/design/configurations.md). The choice depends on the arguments and on
// nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_PIPELINES_CONFIGURATIONCHOICE_H
#define TESSERA_PIPELINES_CONFIGURATIONCHOICE_H

#include "tessera/Frontend/Frontend.h"
#include "tessera/Pipelines/Phases.h"

#include "llvm/ADT/StringMap.h"

namespace tessera {

/// A configuration, and its predicted time or the reason why it has none.
struct TimedConfiguration {
  /// A refused configuration does not compile, or spills registers. The clock
  /// cannot follow an unknown one.
  enum class State { Timed, Unknown, Refused };

  frontend::Configuration values;
  State state = State::Timed;
  double seconds = 0;
  std::string reason;

  bool isTimed() const { return state == State::Timed; }
};

struct ConfigurationRanking {
  /// The first one has all defaults.
  std::vector<TimedConfiguration> configurations;
  /// The number of the chosen one.
  size_t chosen = 0;

  const TimedConfiguration &getChosen() const { return configurations[chosen]; }
  /// Returns the configurations from the fastest to the slowest, then those
  /// without a time.
  std::vector<const TimedConfiguration *> sort() const;
};

/// The results that a caller of `chooseConfiguration` reads.
enum class RankingUse {
  /// The choice. A configuration that is slower is only compiled to the phase
  /// that KernelClock reads, and the only one is not compiled.
  Choice,
  /// The state of each configuration, if there are several.
  Ranking,
  /// The state of each configuration, also of an only one.
  Times
};

/// Compiles each configuration of the kernel of `options` in the main buffer of
/// `sourceMgr` to the phase that KernelClock reads, and predicts its time at
/// `sizes`. Errors of the declarations are diagnostics of `context`. Of all
/// that are within 1 % of the fastest, the first one is chosen, which is the
/// default if it is among them. The default is chosen as well if its time is
/// unknown.
FailureOr<ConfigurationRanking>
chooseConfiguration(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                    const frontend::CompileOptions &options,
                    const llvm::StringMap<int64_t> &sizes,
                    const PhaseOptions &phaseOptions, RankingUse use);

} // namespace tessera

#endif // TESSERA_PIPELINES_CONFIGURATIONCHOICE_H
