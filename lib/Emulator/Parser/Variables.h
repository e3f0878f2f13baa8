//===- Variables.h - Declarations of variables and parameters ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, 5.4 "Variables".
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_VARIABLES_H
#define TESSERA_LIB_EMULATOR_PARSER_VARIABLES_H

#include "Cursor.h"

#include "tessera/Emulator/Module.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tessera::emu::parsing {

/// Returns the space of ".global"; none for other words, and for registers.
std::optional<Variable::Space> parseSpace(StringRef dotWord);

/// Parses a type of registers and variables (PTX ISA, 5.2.1).
bool parseFundamentalType(Cursor &cursor, Type &type);

struct Declaration {
  Token name;
  /// The variable, with the name of the token so far.
  Variable variable;
  /// Whether its initial value has addresses, and cannot be used.
  bool hasAddresses = false;
};

/// Parses variables up to the semicolon, and calls `add` for each.
bool parseVariables(Cursor &cursor, Variable::Space space, bool isExtern,
                    llvm::function_ref<bool(Declaration)> add);

/// Parses a parameter of a signature after `.param`.
bool parseParameter(Cursor &cursor, bool mayBeUnsized,
                    Declaration &declaration);

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_VARIABLES_H
