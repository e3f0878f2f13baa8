//===- Diagnostics.cpp - Located errors of the front end --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of messages: lists of names, and the nearest spelling of an undeclared
// name by edit distance.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

using namespace tessera::frontend;

llvm::StringRef
tessera::frontend::findNearestName(llvm::StringRef word,
                                   llvm::ArrayRef<llvm::StringRef> candidates) {
  // Long names may be further off; in a name of one letter only the case may be
  // wrong.
  unsigned limit = std::min<size_t>(word.size() / 3 + 1, 3);
  llvm::StringRef nearest;
  unsigned best = limit + 1;
  for (llvm::StringRef candidate : candidates) {
    unsigned distance = candidate.edit_distance(word, true, limit);
    if (word.equals_insensitive(candidate))
      distance = 0;
    else if (distance >= std::min(word.size(), candidate.size()))
      continue;
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string
tessera::frontend::joinNames(llvm::ArrayRef<llvm::StringRef> names) {
  if (names.empty())
    return "none";
  std::string text;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i)
      text += i + 1 == names.size() ? " and " : ", ";
    text += ("`" + name + "`").str();
  }
  return text;
}
