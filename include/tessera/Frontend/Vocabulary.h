//===- Vocabulary.h - The words of the language -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an editor offers and explains. The lists are those that the front end
// reads by; the explanations say in short what docs/language.md does.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_VOCABULARY_H
#define TESSERA_FRONTEND_VOCABULARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tessera::frontend {

/// A word and what it means.
struct WordText {
  llvm::StringRef word;
  /// How it is used: `sum(x, axis)`.
  llvm::StringRef form;
  llvm::StringRef text;
};

/// The words that can be no names: keywords, and the names of types.
std::vector<llvm::StringRef> getKeywords();
llvm::ArrayRef<llvm::StringRef> getTypeNames();
/// The built-in functions, in alphabetical order.
std::vector<llvm::StringRef> getBuiltinFunctions();
/// Checks whether `name` is a built-in function. No fn may have this name.
bool isBuiltinFunction(llvm::StringRef name);

/// What a built-in function does, or null for a name that is not one.
const WordText *findFunctionText(llvm::StringRef name);
/// What stands after a `.`, and what between the parentheses of `schedule` and
/// `numerics`.
llvm::ArrayRef<WordText> getMembers();
llvm::ArrayRef<WordText> getClauseEntries();

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_VOCABULARY_H
