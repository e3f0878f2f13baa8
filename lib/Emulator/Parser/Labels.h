//===- Labels.h - Targets of branches ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A label belongs to its block {…}, and may follow the branches to it. Uses are
// therefore recorded by name, and resolved at the end of each block: names that
// the block does not define are passed to the block around it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PARSER_LABELS_H
#define TESSERA_LIB_EMULATOR_PARSER_LABELS_H

#include "Cursor.h"

#include "tessera/Emulator/Module.h"

#include "llvm/ADT/StringMap.h"

namespace tessera::emu::parsing {

class Labels {
public:
  Labels(Cursor &cursor, Kernel &kernel)
      : cursor(cursor), kernel(kernel), scopes(1) {}

  void enterScope() { scopes.emplace_back(); }
  /// Ends a block, or the whole function. Fails if a name is still unknown at
  /// the end of the function.
  bool leaveScope();

  /// Defines a label of the next instruction.
  bool define(const Token &name);
  /// Parses the list of `name: .branchtargets A, B, C<4>;`.
  bool parseTable(const Token &name);

  /// Records that the next instruction branches there.
  void addBranch(const Token &label);
  bool addIndexedBranch(const Token &table);

  /// Sets Kernel::targets, after the last instruction.
  void finish();

private:
  struct Definition {
    bool isTable = false;
    /// The index in the body, or in `tables`.
    unsigned index = 0;
  };
  /// An entry of a list that is not resolved yet.
  struct Use {
    std::string name;
    unsigned line, column;
    unsigned list, entry;
  };
  struct Scope {
    llvm::StringMap<Definition> definitions;
    std::vector<Use> uses;
  };

  bool add(const Token &name, Definition definition);
  void addUse(std::string name, const Token &at, unsigned list);
  bool resolve(const Use &use, const Definition &definition);
  unsigned getPlace() const { return kernel.body.size(); }

  Cursor &cursor;
  Kernel &kernel;
  SmallVector<Scope, 4> scopes;
  /// The targets of a branch, or of all branches through one table.
  std::vector<SmallVector<unsigned, 1>> lists;
  /// Branches, by index in the body, and their lists.
  std::vector<std::pair<unsigned, unsigned>> branches;
};

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_LABELS_H
