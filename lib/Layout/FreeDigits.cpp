//===- FreeDigits.cpp - Copies of elements ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the digits that reach no new elements: broadcast digits, and bits of
// the atom that are linearly dependent over F2 on the bits before them.
// Elimination keeps a basis of the bits so far; a bit that reduces to zero is
// free. Counts are never free, since each count walks along a dimension by
// itself.
//
//===----------------------------------------------------------------------===//

#include "tessera/Layout/FreeDigits.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera;
using namespace tessera::layout;

/// Packs the strides of a bit into one number, for the elimination over F2.
static uint64_t packBit(const Layout &layout, const Digit &digit) {
  return layout.packAtom(digit.stride);
}

llvm::SmallVector<const Digit *> layout::getFreeDigits(const Layout &layout) {
  llvm::SmallVector<uint64_t> basis;
  llvm::SmallVector<const Digit *> free;
  for (const Digit &digit : layout.getDigits()) {
    if (digit.kind == Digit::Kind::Count)
      continue;
    if (digit.kind == Digit::Kind::Broadcast) {
      free.push_back(&digit);
      continue;
    }
    uint64_t vector = packBit(layout, digit);
    for (uint64_t pivot : basis)
      vector = std::min(vector, vector ^ pivot);
    if (vector)
      basis.push_back(vector);
    else
      free.push_back(&digit);
  }
  return free;
}

llvm::SmallVector<int64_t> layout::getHoldingRegisters(const Layout &layout) {
  llvm::SmallVector<const Digit *> free = getFreeDigits(layout);
  llvm::SmallVector<int64_t> registers;
  for (int64_t reg = 0; reg < layout.getSize(kRegister); ++reg)
    if (llvm::none_of(free, [&](const Digit *digit) {
          return layout.getAxes()[digit->axis].name == kRegister &&
                 reg / digit->place % digit->count != 0;
        }))
      registers.push_back(reg);
  return registers;
}
