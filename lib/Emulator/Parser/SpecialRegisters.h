//===- SpecialRegisters.h - Registers that PTX declares ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_SPECIALREGISTERS_H
#define TESSERA_LIB_EMULATOR_PARSER_SPECIALREGISTERS_H

#include "llvm/ADT/StringRef.h"

namespace tessera::emu::parsing {

/// Checks for the name of a special register (PTX ISA, 10 "Special Registers"),
/// without a component: "%tid" and "%clock64".
bool isSpecialRegister(llvm::StringRef name);
/// Checks whether the register has the components x, y, z and w.
bool isSpecialVector(llvm::StringRef name);

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_SPECIALREGISTERS_H
