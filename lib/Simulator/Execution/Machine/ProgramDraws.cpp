//===- ProgramDraws.cpp - Dynamically scheduled programs --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Distributes dynamically scheduled programs to CTAs, which are simulated one
// after the other. `getOwner` assigns each program to a CTA by the order of the
// run, and a CTA draws its own programs in ascending order. Each such
// distribution is the result of some timing of the atomic counter.
//
//===----------------------------------------------------------------------===//

#include "ProgramDraws.h"

using namespace tessera;
using namespace tessera::sim;

void ProgramDraws::start(int64_t numCtas, int64_t numPrograms) {
  ctas = numCtas;
  programs = numPrograms;
  next.assign(ctas, ctas);
}

int64_t ProgramDraws::getOwner(int64_t program) const {
  switch (options.order) {
  case Order::Early:
    return 0;
  case Order::Late:
    return ctas - 1;
  case Order::Random:
    // The upper bits of a product by an odd constant (multiplicative hashing).
    return ((options.seed + program) * uint64_t(0x9E3779B97F4A7C15) >> 33) %
           ctas;
  case Order::Program:
  case Order::Chosen:
    return program % ctas;
  }
  return 0;
}

int64_t ProgramDraws::draw(int64_t cta) {
  int64_t &program = next[cta];
  while (program < programs && getOwner(program) != cta)
    ++program;
  int64_t drawn = program++;
  // One end number for each CTA, beyond the numbers of programs.
  return drawn < programs ? drawn : programs + cta;
}
