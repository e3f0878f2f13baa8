//===- RegisterPressureText.h - Registers of tiles, in words ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How RegisterPressure is told to people, by reports and by warnings.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_REGISTERPRESSURETEXT_H
#define TESSERA_DIALECT_SM_IR_REGISTERPRESSURETEXT_H

#include "tessera/Dialect/SM/IR/RegisterPressure.h"

namespace tessera::sm {

/// "128x64 f32".
std::string describeShape(RankedTensorType tile);

/// "kernel.tile:3:7", or empty.
std::string describePlace(Location loc);

/// Describes the values that hold registers at the peak: "64 for 128x128 f32 of
/// kernel.tile:14:12, 32 for …, 26 for all else".
std::string describeHeld(const RegisterPressure &pressure);

/// Describes the registers that the threads of a role, or of a kernel without
/// roles, are likely to need: "'math': about 192 of 240, at kernel.tile:31:7:
/// 64 for …"; empty if they hold no tiles.
std::string describeNeed(Operation *scope);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_REGISTERPRESSURETEXT_H
