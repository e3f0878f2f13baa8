//===- Simulator.h - Runs kernels of the sm dialect -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes a kernel of the sm dialect as a streaming multiprocessor would, with
// all asynchronous operations: docs/design/simulator.md.
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

/// Tables of layouts, shared by all simulations of a context: computing them
/// takes longer than the run of a small kernel.
class LayoutTables;
class Trace;
std::shared_ptr<LayoutTables> makeLayoutTables();

struct Options {
  Order order = Order::Program;
  /// For Order::Random.
  uint64_t seed = 0;
  /// For Order::Chosen.
  Deviations deviations;
  /// Maximum number of steps of all agents together.
  StepLimit stepLimit = kDefaultOperationLimit;
  /// Maximum number of CTAs that a persistent kernel is launched with.
  int64_t multiprocessors = 2;
  /// File for a trace of the agents (Perfetto's JSON); none if empty.
  std::string tracePath;
  /// Receives the trace, also of a run that fails; may be null.
  Trace *trace = nullptr;
  /// Called for each cluster; may be empty.
  ProgressHandler progress;
  /// Tables shared with other runs; may be null.
  std::shared_ptr<LayoutTables> tables;
};

struct Statistics {
  uint64_t ctas = 0, steps = 0;
  /// For Order::Chosen: the number of ready agents at each choice.
  std::vector<uint16_t> choices;
};

/// Simulates the launch of a kernel of the sm dialect in any of its forms.
/// Reports defects as errors and then fails: either the races and similar
/// defects of the first CTA that has some, up to a limit, or the deadlock.
LogicalResult simulate(interp::Launch &launch, const Options &options = {},
                       Statistics *statistics = nullptr);

} // namespace tessera::sim

#endif // TESSERA_SIMULATOR_SIMULATOR_H
