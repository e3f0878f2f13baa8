//===- Tracer.h - Records a trace of the agents -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records the actions of warps and asynchronous operations as slices of a
// trace. Time is the number of executed ops. Without a trace, the only cost is
// the test of a pointer.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_TRACER_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_TRACER_H

#include "tessera/Simulator/Trace.h"

#include <map>

namespace tessera::sim {

class Cta;
class Warp;

class Tracer {
public:
  /// `time` is the clock of the simulation.
  explicit Tracer(const uint64_t &time) : time(time) {}

  /// Adds rows for the warps of a CTA.
  void begin(Cta &cta);

  /// Records that the warp cannot continue at `op`.
  void wait(const Warp &warp, Operation *op);
  /// Records that the warp has completed a stage of `op`.
  void finish(const Warp &warp, Operation *op);
  /// Records that an asynchronous operation was issued, or has taken effect.
  void start(unsigned cta, uint32_t number, Operation *op);
  void takeEffect(unsigned cta, uint32_t number);

  /// Ends the open slices and returns the trace.
  const Trace &end();

private:
  struct Open {
    Operation *op;
    uint64_t begin;
    std::string row, reason;
  };

  void close(unsigned cta, Open open, uint64_t end);

  const uint64_t &time;
  Trace trace;
  /// Open waits by CTA and warp; operations in flight by CTA and number.
  using Key = std::pair<unsigned, unsigned>;
  std::map<Key, Open> waiting, inFlight;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_TRACER_H
