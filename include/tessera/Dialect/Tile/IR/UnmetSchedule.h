//===- UnmetSchedule.h - Entries of a schedule left undone ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What contradicts a kernel is an error. What its tiles, its sizes or the
// machine do not permit is left undone, and a warning says so, whether remarks
// are asked for or not: the results are right, but not what they cost.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_UNMETSCHEDULE_H
#define TESSERA_DIALECT_TILE_IR_UNMETSCHEDULE_H

#include "tessera/Support/LLVM.h"

namespace tessera::tile {

/// Warns that `entry` of the schedule of `kernel` is not done: what is done
/// `instead`, and why. A note says what to change. `name` is that of the
/// warning.
void warnOfUnmet(Operation *kernel, const Twine &entry, const Twine &instead,
                 const Twine &why, const Twine &change, StringRef name);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_UNMETSCHEDULE_H
