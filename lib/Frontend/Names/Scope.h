//===- Scope.h - Symbols and their scopes -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stack of symbol tables. A frame belongs to the kernel or to one inlined
// call of a fn and hides the frames below: a fn sees its parameters only.
// Inside a frame, scopes nest with the blocks of the source. No name may hide
// another, so a name has one meaning throughout a body.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_SCOPE_H
#define TESSERA_FRONTEND_SCOPE_H

#include "Entity.h"
#include "Parser/Token.h"

#include "llvm/ADT/StringMap.h"

#include <deque>
#include <memory>

namespace tessera::frontend {

struct Symbol {
  enum class Kind : uint8_t {
    CompileTimeParameter,
    Size,
    Parameter,
    Axis,
    Let,
    Var,
    Loop
  };

  Kind kind;
  StringRef name;
  SourcePlace place;
  /// The current value; that of a `var` changes. A size has an error entity
  /// until its first use.
  Entity entity;
  /// A `var` whose first value is a number without a type.
  bool isUntyped = false;

  /// Returns the current value as an operand, which knows an untyped `var`.
  Entity getOperand() const {
    return isUntyped ? entity.withUntypedVar({name, place}) : entity;
  }
  /// Describes the symbol in a message: "a loop variable".
  StringRef describe() const;
};

class Scopes {
public:
  void pushFrame() { frames.emplace_back(); }
  void popFrame() { frames.pop_back(); }
  void pushScope();
  void popScope();

  /// Returns the symbol of that name in the current frame, or null.
  Symbol *lookup(StringRef name);
  /// Checks whether a frame below the current one has the name.
  bool isHidden(StringRef name) const;
  /// Returns the place of the declaration in an ended scope of the current
  /// frame; null if there is none.
  const SourcePlace *findEnded(StringRef name) const;
  /// Adds a symbol to the innermost scope; its name must be free in the frame.
  Symbol *declare(Symbol symbol);
  /// Returns the `var`s of the current frame in the order of their declaration.
  SmallVector<Symbol *> getVars() const;
  /// The values of the `var`s of the current frame at one point.
  using VarState = SmallVector<std::pair<Symbol *, Entity>>;
  VarState saveVars() const;
  static void restoreVars(const VarState &state);
  /// Returns all names of the current frame in the order of their declaration.
  SmallVector<StringRef> getNames() const;

private:
  struct Frame {
    llvm::StringMap<Symbol *> symbols;
    /// In order of declaration; a scope is a suffix.
    std::vector<std::unique_ptr<Symbol>> order;
    SmallVector<size_t> scopeBegins;
    /// The names of ended scopes, for messages.
    llvm::StringMap<SourcePlace> ended;
  };

  /// A deque: frames stay where they are.
  std::deque<Frame> frames;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_SCOPE_H
