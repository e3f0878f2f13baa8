//===- DebugInformation.h - Source locations --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, 11.5 "Debugging Directives". Each function is called after the name
// of its directive has been consumed.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_DEBUGINFORMATION_H
#define TESSERA_LIB_EMULATOR_PARSER_DEBUGINFORMATION_H

#include "Cursor.h"

#include "tessera/Emulator/Module.h"

namespace tessera::emu::parsing {

/// Parses `.file 1 "name"`.
bool parseFile(Cursor &cursor, Module &module);

/// Parses `.loc 1 12 3`, and sets the source fields of `where`. A location in
/// an inlined function is in its own file. All fields are 0 for line 0, which
/// means no line.
bool parseLoc(Cursor &cursor, Module &module, Location &where);

/// Skips `.section .debug_str { … }`.
bool skipSection(Cursor &cursor);

/// Skips `.pragma "nounroll";`: every pragma is a hint.
bool skipPragma(Cursor &cursor);

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_DEBUGINFORMATION_H
