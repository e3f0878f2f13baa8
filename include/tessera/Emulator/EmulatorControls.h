//===- EmulatorControls.h - The emulator as a library of C ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that libtessera_emulator.so exports in addition to those of the
// driver, for programs that know that their device is emulated. See
// docs/running.md, "Other PTX".
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_EMULATORCONTROLS_H
#define TESSERA_EMULATOR_EMULATORCONTROLS_H

#include <stdint.h>

#define TESSERA_EMULATOR_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/// Sets the order of later launches: "program", "late", "early" or "random",
/// with a seed for the last. Returns 0, or 1 if there is no such order.
TESSERA_EMULATOR_API int tesseraEmulatorSetOrder(const char *order,
                                                 uint64_t seed);

/// Returns the number of instructions of all warps in the last launch.
TESSERA_EMULATOR_API uint64_t tesseraEmulatorGetSteps(void);

/// Returns the findings of the last launch: a line for each defect, and a line
/// for each of its other accesses, which begins with "note:". Empty without
/// defects. Valid until the next launch.
TESSERA_EMULATOR_API const char *tesseraEmulatorGetFindings(void);

#ifdef __cplusplus
}
#endif

#endif // TESSERA_EMULATOR_EMULATORCONTROLS_H
