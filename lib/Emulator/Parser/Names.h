//===- Names.h - Registers and variables by name ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block {…} of a function is a scope. Its names hide those outside of it,
// and the next block may reuse them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_NAMES_H
#define TESSERA_LIB_EMULATOR_PARSER_NAMES_H

#include "Cursor.h"

#include "tessera/Emulator/Module.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tessera::emu::parsing {

struct NameEntry {
  enum Kind : uint8_t {
    Register,
    Variable,
    Extern,       // a variable with a declaration only
    HasAddresses, // a variable with unsupported initial values
    Function,
  };
  Kind kind = Variable;
  /// For a register: its index in Kernel::registers.
  unsigned reg = 0;
  /// For a variable: Variable::name, which is unique in the kernel.
  StringRef variable;
};

/// The names of the module.
struct ModuleNames {
  llvm::StringMap<NameEntry> entries;

  /// Declares a name. Fails if another entry has the name. A declaration may be
  /// defined later.
  bool declare(Cursor &cursor, const Token &name, NameEntry::Kind kind);
};

/// The names of one function.
class Names {
public:
  Names(Cursor &cursor, const ModuleNames &module, Kernel &kernel)
      : cursor(cursor), module(module), kernel(kernel), scopes(1) {}

  void enterScope() { scopes.emplace_back(); }
  void leaveScope() { scopes.pop_back(); }

  bool declareRegister(const Token &name, Type type);
  /// Declares registers: %r<4> are %r0 to %r3.
  bool declareRegisters(const Token &prefix, Type type, unsigned count);
  /// Declares a parameter, which keeps the name of the token.
  bool declareParameter(const Token &name);
  /// Declares a variable. Sets `unique`, which is `name` unless another
  /// variable has that name.
  bool declareVariable(const Token &name, bool hasAddresses,
                       std::string &unique);

  const NameEntry *find(StringRef name) const;

private:
  bool addRegister(const Token &at, std::string name, Type type);
  bool add(const Token &at, StringRef name, NameEntry entry);

  Cursor &cursor;
  const ModuleNames &module;
  Kernel &kernel;
  SmallVector<llvm::StringMap<NameEntry>, 4> scopes;
  llvm::StringSet<> variables;
};

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_NAMES_H
