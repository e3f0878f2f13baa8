//===- DebugInformation.h - Places in the source ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, 11.5 "Debugging Directives". Each function is called after the name
// of its directive.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_DEBUGINFORMATION_H
#define TESSERA_LIB_EMULATOR_PARSER_DEBUGINFORMATION_H

#include "Cursor.h"

#include "tessera/Emulator/Module.h"

namespace tessera::emu::parsing {

/// `.file 1 "name"`.
bool parseFile(Cursor &cursor, Module &module);

/// `.loc 1 12 3`; sets the fields of `where` that are of the source. Those of
/// an inlined function stay in its own file. All are 0 for line 0, which stands
/// for no line.
bool parseLoc(Cursor &cursor, Module &module, Location &where);

/// `.section .debug_str { … }`.
bool skipSection(Cursor &cursor);

/// `.pragma "nounroll";`: a hint, whatever it says.
bool skipPragma(Cursor &cursor);

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_DEBUGINFORMATION_H
