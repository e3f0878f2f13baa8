//===- ProgramDraws.h - Dynamically scheduled programs ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs are simulated one after the other, so the first CTA would draw all
// programs. Some timing leads to each distribution in which every CTA gets its
// programs in ascending order. The order of the run therefore selects one.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_PROGRAMDRAWS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_PROGRAMDRAWS_H

#include "tessera/Simulator/Simulator.h"

#include <vector>

namespace tessera::sim {

class ProgramDraws {
public:
  explicit ProgramDraws(const Options &options) : options(options) {}

  /// Starts `ctas` CTAs with the first of `programs` programs.
  void start(int64_t ctas, int64_t programs);

  /// Returns the next program of a CTA, or a number of at least `programs`.
  int64_t draw(int64_t cta);
  /// Checks whether the CTA has drawn its end number.
  bool isAtEnd(int64_t cta) const { return next[cta] > programs; }
  int64_t getPrograms() const { return programs; }

private:
  int64_t getOwner(int64_t program) const;

  const Options &options;
  int64_t ctas = 0, programs = 0;
  /// For each CTA, the first program that was not offered to it yet.
  std::vector<int64_t> next;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_PROGRAMDRAWS_H
