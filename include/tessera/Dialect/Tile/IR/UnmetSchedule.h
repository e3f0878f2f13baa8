//===- UnmetSchedule.h - Entries of a schedule left undone ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry of a schedule that contradicts its kernel is an error. An entry that
// the tiles, the sizes or the machine do not permit is ignored with a warning,
// even without remarks. Results are right, but the kernel is slower than
// expected.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_UNMETSCHEDULE_H
#define TESSERA_DIALECT_TILE_IR_UNMETSCHEDULE_H

#include "tessera/Support/LLVM.h"

namespace tessera::tile {

/// Warns that `entry` of the schedule of `kernel` is ignored. `instead` is the
/// code that is generated, and `why` the reason. A note with `change` says what
/// to change. `name` is the name of the warning.
void warnOfUnmet(Operation *kernel, const Twine &entry, const Twine &instead,
                 const Twine &why, const Twine &change, StringRef name);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_UNMETSCHEDULE_H
