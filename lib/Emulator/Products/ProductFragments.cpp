//===- ProductFragments.cpp - Matrices in registers -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Register Fragments" of wgmma. All fragments have the same
// structure. Warp w has rows 16w to 16w+15. A group of 4 lanes has one of these
// rows, and the row 8 below it. Each of the 4 lanes has the adjacent elements
// that fit in 8 bytes (D of 32 bits) or 4 bytes (all others). The next columns
// follow in the same way.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/MatrixProduct.h"

using namespace tessera::emu;

/// Returns the position of the element `index` of a thread; `run` elements are
/// adjacent in a row.
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
