//===- Names.h - Registers and variables by name ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block {…} of a function is a scope: its names hide those outside of it,
// and the next block may use them again.
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
    Extern,       // a variable of which nothing but a declaration was seen
    HasAddresses, // a variable with initial values that are not supported
    Function,
  };
  Kind kind = Variable;
  /// Of a register: its place in Kernel::registers.
  unsigned reg = 0;
  /// Of a variable: Variable::name, which no other variable of the kernel has.
  StringRef variable;
};

/// Of the module.
struct ModuleNames {
  llvm::StringMap<NameEntry> entries;

  /// Fails if something else has the name. What is declared may be defined
  /// later.
  bool declare(Cursor &cursor, const Token &name, NameEntry::Kind kind);
};

/// Of one function.
class Names {
public:
  Names(Cursor &cursor, const ModuleNames &module, Kernel &kernel)
      : cursor(cursor), module(module), kernel(kernel), scopes(1) {}

  void enterScope() { scopes.emplace_back(); }
  void leaveScope() { scopes.pop_back(); }

  bool declareRegister(const Token &name, Type type);
  /// %r<4>: %r0 to %r3.
  bool declareRegisters(const Token &prefix, Type type, unsigned count);
  /// Its name stays what it is: that of the token.
  bool declareParameter(const Token &name);
  /// Sets `unique`, which is `name` unless another variable has it.
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
