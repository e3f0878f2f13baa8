//===- NearestName.h - Suggestions for misspelled names ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nearest spelling of an unknown name by edit distance, for messages of the
// front end and of tools.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SUPPORT_NEARESTNAME_H
#define TESSERA_SUPPORT_NEARESTNAME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace tessera {

/// Checks whether two neighbours of one name are swapped in the other, as in
/// `epx`.
inline bool hasSwappedLetters(llvm::StringRef word, llvm::StringRef other) {
  if (word.size() != other.size())
    return false;
  size_t first = 0;
  while (first < word.size() && word[first] == other[first])
    ++first;
  return first + 1 < word.size() && word[first] == other[first + 1] &&
         word[first + 1] == other[first] &&
         word.drop_front(first + 2) == other.drop_front(first + 2);
}

/// Returns the candidate with the smallest edit distance to `word`; empty if
/// none is near.
inline llvm::StringRef
findNearestName(llvm::StringRef word,
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
    else if (hasSwappedLetters(word, candidate))
      distance = 1;
    else if (distance >= std::min(word.size(), candidate.size()))
      continue;
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/// Returns "did you mean 'add'? " for a message, or nothing if no candidate is
/// near.
inline std::string suggestName(llvm::StringRef word,
                               llvm::ArrayRef<llvm::StringRef> candidates,
                               llvm::StringRef quote = "'") {
  llvm::StringRef nearest = findNearestName(word, candidates);
  if (nearest.empty())
    return "";
  return ("did you mean " + quote + nearest + quote + "? ").str();
}

/// Returns "; did you mean `add`?" for the end of a message, or nothing if no
/// candidate is near.
inline std::string askForName(llvm::StringRef word,
                              llvm::ArrayRef<llvm::StringRef> candidates) {
  llvm::StringRef nearest = findNearestName(word, candidates);
  return nearest.empty() ? "" : ("; did you mean `" + nearest + "`?").str();
}

} // namespace tessera

#endif // TESSERA_SUPPORT_NEARESTNAME_H
