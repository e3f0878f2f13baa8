//===- ProductFragments.cpp - Matrices in registers -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Register Fragments" of wgmma. Both kinds are made alike: warp w has
// rows 16w to 16w+15, a group of 4 lanes a row of these and the row 8 below it,
// and each of the 4 lanes as many neighbouring elements as lie in 8 bytes (D of
// 32 bits) or 4 (all others); then the same for the next columns.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/MatrixProduct.h"

using namespace tessera::emu;

/// Of the element `index` of a thread, of which `run` lie side by side.
static FragmentPlace getFragmentPlace(unsigned thread, unsigned run,
                                      unsigned index) {
  unsigned warp = thread / 32, lane = thread % 32;
  unsigned block = index / run; // even: the upper row, odd: the lower one
  return {warp * 16 + lane / 4 + block % 2 * 8,
          block / 2 * (4 * run) + lane % 4 * run + index % run};
}

FragmentPlace tessera::emu::getAccumulatorPlace(const ProductForm &form,
                                                unsigned thread, unsigned reg,
                                                unsigned half) {
  return getFragmentPlace(thread, 2, reg * form.countInAccumulator() + half);
}

FragmentPlace tessera::emu::getAPlace(const ProductForm &form, unsigned thread,
                                      unsigned reg, unsigned part) {
  unsigned run = form.countInARegister();
  return getFragmentPlace(thread, run, reg * run + part);
}
