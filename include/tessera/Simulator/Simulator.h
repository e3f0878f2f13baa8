//===- Simulator.h - Runs kernels of the sm dialect -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel of the sm dialect does on a streaming multiprocessor, with
// everything asynchronous that it starts: docs/design/simulator.md.
//
//   interp::Launch launch(kernel, sizes);   // a kernel of either dialect
//   launch.addTensor(…);
//   if (failed(sim::simulate(launch, options))) …   // defects were reported
//   launch.getTensor(i)->toArray();
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SIMULATOR_SIMULATOR_H
#define TESSERA_SIMULATOR_SIMULATOR_H

#include "tessera/Interpreter/Interpreter.h"
#include "tessera/Simulator/Order.h"
#include "tessera/Simulator/ScheduleSearch.h"

namespace tessera::sim {

/// What is known of layouts, for all simulations in one context: it takes
/// longer to find out than a small kernel to run.
class LayoutTables;
class Trace;
std::shared_ptr<LayoutTables> makeLayoutTables();

struct Options {
  Order order = Order::Program;
  /// For Order::Random.
  uint64_t seed = 0;
  /// For Order::Chosen.
  Deviations deviations;
  /// Steps of all agents together, after which a run is given up.
  uint64_t stepLimit = uint64_t(1) << 32;
  /// How many CTAs a persistent kernel is launched with, at most.
  int64_t multiprocessors = 2;
  /// If not empty, a trace of the agents is written here (Perfetto's JSON).
  std::string tracePath;
  /// If not null, the trace is left here, also of a run that fails.
  Trace *trace = nullptr;
  /// Hears of the clusters; may be empty.
  ProgressHandler progress;
  /// To be shared with other runs; may be null.
  std::shared_ptr<LayoutTables> tables;
};

struct Statistics {
  uint64_t ctas = 0, steps = 0;
  /// For Order::Chosen: by choice, how many agents could go on.
  std::vector<uint16_t> choices;
};

/// Simulates the launch of a kernel of the sm dialect in any of its forms.
/// Fails after reporting defects as errors: every race and the like of the
/// first CTA that has one, up to a few, or the deadlock.
LogicalResult simulate(interp::Launch &launch, const Options &options = {},
                       Statistics *statistics = nullptr);

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_SIMULATOR_H
