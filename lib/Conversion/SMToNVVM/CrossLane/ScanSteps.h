//===- ScanSteps.h - Scans digit by digit -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout represents a position on the axis of a scan by digits of the
// register, the lane and the warp. The scan processes the digits from the least
// significant one on. Before a digit, the blocks of the digits below are
// scanned, and the digit numbers these blocks. Each block then adds the total
// of the blocks before it. The total of a block is its last element. A register
// therefore moves a few times per digit, however large the tile is.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_SCANSTEPS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_SCANSTEPS_H

#include "Combiner.h"
#include "Kernel/LoweringContext.h"

#include "tessera/Dialect/SM/IR/Exchange.h"

namespace tessera::sm {

/// Replaces the elements in `values`, of the combiner's type, by their prefix
/// sums. `base` is the address of the scratch memory, an i32; null if there is
/// none.
void emitScanSteps(OpBuilder &builder, const LoweringContext &context,
                   ScanOp op, ArrayRef<ScanDigit> digits,
                   const Combiner &combiner, Value base,
                   MutableArrayRef<Value> values);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_SCANSTEPS_H
