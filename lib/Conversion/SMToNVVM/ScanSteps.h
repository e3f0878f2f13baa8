//===- ScanSteps.h - Scans digit by digit -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout writes a position on the axis of a scan as digits of the register,
// the lane and the warp. A scan goes through them from the least significant
// one on: when elements are scanned in the blocks of the digits below, a digit
// numbers such blocks, and each of its blocks takes on what the blocks before
// it have in total. The total of a block is its last element. So a register is
// moved a few times for each digit, however large the tile is.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_SCANSTEPS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_SCANSTEPS_H

#include "Combiner.h"
#include "LoweringContext.h"

namespace tessera::sm {

/// A digit of the position, of `count` values, in the number of a register, a
/// lane or a warp, where one step is worth `place`.
struct ScanDigit {
  enum Kind { Register, Lane, Warp };

  Kind kind;
  int64_t place, count;

  int64_t get(int64_t number) const { return number / place % count; }
};

/// The digits of the axis of `op`, the least significant first; nothing if the
/// layout does not write positions so.
std::optional<SmallVector<ScanDigit>> getScanDigits(ScanOp op);

/// Whether elements are exchanged between warps.
bool isAmongWarps(ArrayRef<ScanDigit> digits);

/// The shared memory in bytes that the exchange between warps takes.
int64_t getScanStepsScratch(ScanOp op, ArrayRef<ScanDigit> digits);

/// Replaces the elements in `values`, of the combiner's type, by their sums.
/// `base` is the address of the scratch memory, an i32, null if there is none.
void emitScanSteps(OpBuilder &builder, const LoweringContext &context,
                   ScanOp op, ArrayRef<ScanDigit> digits,
                   const Combiner &combiner, Value base,
                   MutableArrayRef<Value> values);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_SCANSTEPS_H
