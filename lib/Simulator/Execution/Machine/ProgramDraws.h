//===- ProgramDraws.h - Who runs which program ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs are simulated one after the other, so the first one would draw all
// programs. Any way to share them out is one that some timing leads to, if each
// CTA gets its own in ascending order: the order of the run decides.
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

  /// `ctas` CTAs start with the first of `programs`.
  void start(int64_t ctas, int64_t programs);

  /// The next program of a CTA, or a number of at least `programs`.
  int64_t draw(int64_t cta);
  /// Whether the CTA has drawn the number that ends its walk.
  bool isAtEnd(int64_t cta) const { return next[cta] > programs; }
  int64_t getPrograms() const { return programs; }

private:
  int64_t getOwner(int64_t program) const;

  const Options &options;
  int64_t ctas = 0, programs = 0;
  /// By CTA, the first program that it has not been offered yet.
  std::vector<int64_t> next;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_PROGRAMDRAWS_H
