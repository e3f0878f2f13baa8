//===- Vocabulary.h - The words of the language -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words that an editor offers, with explanations. The front end uses the
// same lists. The explanations are short forms of docs/language.md.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_VOCABULARY_H
#define TESSERA_FRONTEND_VOCABULARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace tessera::frontend {

/// A word and its explanation.
struct WordText {
  llvm::StringRef word;
  /// An example of the use: `sum(x, axis = n)`.
  llvm::StringRef form;
  llvm::StringRef text;
};

/// Returns the words that cannot be names: keywords, and the names of types.
std::vector<llvm::StringRef> getKeywords();
llvm::ArrayRef<llvm::StringRef> getTypeNames();
/// Returns the built-in functions in alphabetical order.
std::vector<llvm::StringRef> getBuiltinFunctions();
/// Checks whether `name` is a built-in function. No fn may have this name.
bool isBuiltinFunction(llvm::StringRef name);

/// Returns the explanation of a built-in function; null for other names.
const WordText *findFunctionText(llvm::StringRef name);
/// Returns the members after a `.`, and the entries of the clauses `schedule`
/// and `numerics`.
llvm::ArrayRef<WordText> getMembers();
llvm::ArrayRef<WordText> getClauseEntries();

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_VOCABULARY_H
