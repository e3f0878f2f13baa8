//===- Labels.h - The places that branches go to ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A label belongs to its block {…}, and may come after the branches to it: what
// a name stands for is known at the end of the block.
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
  /// Of the whole function too; fails if a name stays unknown there.
  bool leaveScope();

  /// Of the instruction that comes next.
  bool define(const Token &name);
  /// At the list of `name: .branchtargets A, B, C<4>;`.
  bool parseTable(const Token &name);

  /// The instruction that comes next branches there.
  void addBranch(const Token &label);
  bool addIndexedBranch(const Token &table);

  /// When all is read: sets Kernel::targets.
  void finish();

private:
  struct Definition {
    bool isTable = false;
    /// The place in the body, or in `tables`.
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
  /// Branches, by place, and their lists.
  std::vector<std::pair<unsigned, unsigned>> branches;
};

} // namespace tessera::emu::parsing

#endif // TESSERA_LIB_EMULATOR_PARSER_LABELS_H
