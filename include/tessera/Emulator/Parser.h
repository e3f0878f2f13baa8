//===- Parser.h - Parses PTX ------------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EMULATOR_PARSER_H
#define TESSERA_EMULATOR_PARSER_H

#include "tessera/Emulator/Module.h"

#include "llvm/Support/Error.h"

namespace tessera::emu {

/// Parses a whole file. Unsupported text (a directive, a kind of operand, a
/// function that is no kernel) is an error: "name.ptx:12:3: unknown directive
/// '.alias'". In the result, labels are resolved, and each register that is
/// used is declared.
llvm::Expected<std::unique_ptr<Module>> parse(StringRef text, StringRef name);

} // namespace tessera::emu

#endif // TESSERA_EMULATOR_PARSER_H
