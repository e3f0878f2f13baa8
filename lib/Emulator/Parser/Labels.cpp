//===- Labels.cpp - Targets of branches -----------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolution of labels by backpatching. A branch records its place in the body
// and a list of targets; each use of a label is an entry of a list to fill. At
// the end of a block, uses of its labels are resolved, and other uses are
// passed to the enclosing block. A list of `.branchtargets` must precede the
// branches that use it.
//
// Invariant: after the last block, every entry is resolved, or an error is
// reported.
//
//===----------------------------------------------------------------------===//

#include "Labels.h"

#include "Literals.h"

namespace tessera::emu::parsing {

static constexpr unsigned kMaxTableRange = 1u << 16;

bool Labels::add(const Token &name, Definition definition) {
  if (scopes.back().definitions.try_emplace(name.text, definition).second)
    return true;
  return cursor.error(name, "label '" + name.text + "' is defined twice");
}

bool Labels::define(const Token &name) {
  return add(name, {false, getPlace()});
}

void Labels::addUse(std::string name, const Token &at, unsigned list) {
  unsigned entry = lists[list].size();
  lists[list].push_back(0);
  scopes.back().uses.push_back(
      {std::move(name), at.line, at.column, list, entry});
}

bool Labels::parseTable(const Token &name) {
  unsigned list = lists.size();
  lists.emplace_back();
  if (!add(name, {true, list}))
    return false;
  do {
    Token label;
    if (!cursor.expectIdentifier(label, "a label in a list of branch targets"))
      return false;
    uint64_t count = 0;
    if (!cursor.consume("<")) {
      addUse(label.text.str(), label, list);
      continue;
    }
    if (!parseCount(cursor, "the number of labels", 1, kMaxTableRange, count) ||
        !cursor.expect(">", "'>' after the number of labels"))
      return false;
    for (uint64_t i = 0; i < count; ++i)
      addUse((label.text + llvm::Twine(i)).str(), label, list);
  } while (cursor.consume(","));
  return cursor.expect(";", "';' after a list of branch targets");
}

void Labels::addBranch(const Token &label) {
  unsigned list = lists.size();
  lists.emplace_back();
  branches.push_back({getPlace(), list});
  addUse(label.text.str(), label, list);
}

bool Labels::addIndexedBranch(const Token &table) {
  for (const Scope &scope : llvm::reverse(scopes)) {
    auto found = scope.definitions.find(table.text);
    if (found == scope.definitions.end())
      continue;
    if (!found->second.isTable)
      return cursor.error(table, "'" + table.text +
                                     "' is a label, not a list of branch "
                                     "targets");
    branches.push_back({getPlace(), found->second.index});
    return true;
  }
  return cursor.error(table, "no list of branch targets '" + table.text +
                                 "' comes before");
}

bool Labels::resolve(const Use &use, const Definition &definition) {
  if (definition.isTable)
    return cursor.error(use.line, use.column,
                        "'" + use.name +
                            "' is a list of branch targets, not a label");
  lists[use.list][use.entry] = definition.index;
  return true;
}

bool Labels::leaveScope() {
  Scope scope = scopes.pop_back_val();
  for (Use &use : scope.uses) {
    auto found = scope.definitions.find(use.name);
    if (found != scope.definitions.end()) {
      if (!resolve(use, found->second))
        return false;
    } else if (scopes.empty()) {
      return cursor.error(use.line, use.column,
                          "undefined label '" + use.name + "'");
    } else {
      scopes.back().uses.push_back(std::move(use));
    }
  }
  return true;
}

void Labels::finish() {
  kernel.targets.resize(kernel.body.size());
  for (auto [place, list] : branches)
    kernel.targets[place] = lists[list];
}

} // namespace tessera::emu::parsing
