//===- Names.cpp - Registers and variables by name ------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbol tables: a stack of scopes for each function, and the names of the
// module. A lookup searches from the innermost scope outwards. Registers are
// numbered through the whole function. A variable whose name is already used in
// the kernel or the module gets a unique name with a suffix.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

namespace tessera::emu::parsing {

/// Far more registers than any kernel has; each thread stores all of them.
static constexpr unsigned kMaxRegisters = 1u << 20;

bool ModuleNames::declare(Cursor &cursor, const Token &name,
                          NameEntry::Kind kind) {
  auto [place, isNew] = entries.try_emplace(name.text, NameEntry{kind, 0, {}});
  NameEntry &entry = place->second;
  bool isFunction = kind == NameEntry::Function;
  bool isMerged = !isNew && isFunction == (entry.kind == NameEntry::Function) &&
                  (isFunction || entry.kind == NameEntry::Extern ||
                   kind == NameEntry::Extern);
  if (!isNew && !isMerged)
    return cursor.error(name, "'" + name.text + "' is defined twice");
  if (entry.kind == NameEntry::Extern)
    entry.kind = kind;
  entry.variable = place->first();
  return true;
}

bool Names::add(const Token &at, StringRef name, NameEntry entry) {
  if (scopes.back().try_emplace(name, entry).second)
    return true;
  return cursor.error(at, "'" + name + "' is defined twice");
}

bool Names::addRegister(const Token &at, std::string name, Type type) {
  unsigned reg = kernel.registers.size();
  if (reg == kMaxRegisters)
    return cursor.error(at, "more than " + llvm::Twine(kMaxRegisters) +
                                " registers");
  if (!add(at, name, {NameEntry::Register, reg, {}}))
    return false;
  kernel.registers.push_back({std::move(name), type});
  return true;
}

bool Names::declareRegister(const Token &name, Type type) {
  return addRegister(name, name.text.str(), type);
}

bool Names::declareRegisters(const Token &prefix, Type type, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!addRegister(prefix, (prefix.text + llvm::Twine(i)).str(), type))
      return false;
  return true;
}

bool Names::declareParameter(const Token &name) {
  StringRef kept = variables.insert(name.text).first->first();
  return add(name, name.text, {NameEntry::Variable, 0, kept});
}

bool Names::declareVariable(const Token &name, bool hasAddresses,
                            std::string &unique) {
  // No name in PTX contains '@'.
  unique = name.text.str();
  for (unsigned i = 1;
       variables.contains(unique) || module.entries.contains(unique); ++i)
    unique = (name.text + "@" + llvm::Twine(i)).str();
  StringRef kept = variables.insert(unique).first->first();
  NameEntry::Kind kind =
      hasAddresses ? NameEntry::HasAddresses : NameEntry::Variable;
  return add(name, name.text, {kind, 0, kept});
}

const NameEntry *Names::find(StringRef name) const {
  for (const auto &scope : llvm::reverse(scopes))
    if (auto found = scope.find(name); found != scope.end())
      return &found->second;
  auto found = module.entries.find(name);
  return found == module.entries.end() ? nullptr : &found->second;
}

} // namespace tessera::emu::parsing
