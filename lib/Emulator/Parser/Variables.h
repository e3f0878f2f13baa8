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

/// "global" of ".global"; none if it is another word, or of registers.
std::optional<Variable::Space> parseSpace(StringRef dotWord);

/// One of the types that registers and variables have (PTX ISA, 5.2.1).
bool parseFundamentalType(Cursor &cursor, Type &type);

struct Declaration {
  Token name;
  /// Its name is that of the token so far.
  Variable variable;
  /// Its initial value has addresses, and cannot be used.
  bool hasAddresses = false;
};

/// `add` is called for each variable up to the semicolon.
bool parseVariables(Cursor &cursor, Variable::Space space, bool isExtern,
                    llvm::function_ref<bool(Declaration)> add);

/// What comes after `.param`, in a signature.
bool parseParameter(Cursor &cursor, bool mayBeUnsized,
                    Declaration &declaration);

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_VARIABLES_H
