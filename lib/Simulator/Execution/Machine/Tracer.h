//===- Tracer.h - Watches agents for a trace --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes slices of what the warps and asynchronous operations of a simulation
// do; time is the number of ops that were executed. Costs nothing but a test of
// a pointer where no trace is wanted.
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

  /// Rows for the warps of a CTA.
  void begin(Cta &cta);

  /// The warp cannot go on at `op`.
  void wait(const Warp &warp, Operation *op);
  /// The warp has done a stage of `op`, after which others may go on.
  void finish(const Warp &warp, Operation *op);
  /// An asynchronous operation is in flight from here on, and has its effect.
  void start(unsigned cta, uint32_t number, Operation *op);
  void takeEffect(unsigned cta, uint32_t number);

  /// What was going on when the simulation ended, and all before.
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
  /// By CTA and warp, where it waits; by CTA and number, what is in flight.
  using Key = std::pair<unsigned, unsigned>;
  std::map<Key, Open> waiting, inFlight;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_TRACER_H
