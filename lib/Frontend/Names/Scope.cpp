//===- Scope.cpp - Symbols and their scopes ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A frame keeps its symbols in the order of declaration. The end of a scope
// drops a suffix, and iteration is deterministic.
//
//===----------------------------------------------------------------------===//

#include "Scope.h"

using namespace tessera;
using namespace tessera::frontend;

StringRef Symbol::describe() const {
  switch (kind) {
  case Kind::CompileTimeParameter:
    return "a compile-time parameter";
  case Kind::Size:
    return "a size";
  case Kind::Parameter:
    return "a parameter";
  case Kind::Axis:
    return "a grid axis";
  case Kind::Let:
    return "a `let`";
  case Kind::Var:
    return "a `var`";
  case Kind::Loop:
    return "a loop variable";
  }
  return "a name";
}

void Scopes::pushScope() {
  Frame &frame = frames.back();
  frame.scopeBegins.push_back(frame.order.size());
}

void Scopes::popScope() {
  Frame &frame = frames.back();
  size_t begin = frame.scopeBegins.pop_back_val();
  while (frame.order.size() > begin) {
    frame.symbols.erase(frame.order.back()->name);
    frame.ended[frame.order.back()->name] = frame.order.back()->place;
    frame.order.pop_back();
  }
}

Symbol *Scopes::lookup(StringRef name) {
  return frames.back().symbols.lookup(name);
}

bool Scopes::isHidden(StringRef name) const {
  return llvm::any_of(llvm::drop_end(frames), [&](const Frame &frame) {
    return frame.symbols.contains(name);
  });
}

const SourcePlace *Scopes::findEnded(StringRef name) const {
  auto found = frames.back().ended.find(name);
  return found == frames.back().ended.end() ? nullptr : &found->second;
}

Symbol *Scopes::declare(Symbol symbol) {
  Frame &frame = frames.back();
  frame.order.push_back(std::make_unique<Symbol>(std::move(symbol)));
  Symbol *added = frame.order.back().get();
  frame.symbols[added->name] = added;
  return added;
}

SmallVector<Symbol *> Scopes::getVars() const {
  SmallVector<Symbol *> vars;
  for (const auto &symbol : frames.back().order)
    if (symbol->kind == Symbol::Kind::Var)
      vars.push_back(symbol.get());
  return vars;
}

Scopes::VarState Scopes::saveVars() const {
  VarState state;
  for (Symbol *var : getVars())
    state.emplace_back(var, var->entity);
  return state;
}

void Scopes::restoreVars(const VarState &state) {
  for (const auto &[var, entity] : state)
    var->entity = entity;
}

SmallVector<StringRef> Scopes::getNames() const {
  SmallVector<StringRef> names;
  for (const auto &symbol : frames.back().order)
    names.push_back(symbol->name);
  return names;
}
