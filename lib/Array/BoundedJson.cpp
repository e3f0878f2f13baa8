//===- BoundedJson.cpp - JSON of bounded nesting ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts open brackets outside of strings before parsing. The count agrees with
// the parser up to the first syntax error, where the parser stops.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/BoundedJson.h"

#include "tessera/Array/NDArray.h"
#include "llvm/ADT/Twine.h"

using llvm::StringRef;

/// Kernel metadata has 5 levels, an editor's message about 10.
static constexpr size_t kMaxDepth = 100;

/// Returns the position of the first bracket that is nested too deeply.
static size_t findDeepBracket(StringRef text) {
  size_t depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      isInString = !isInString;
    else if (isInString)
      i += c == '\\';
    else if ((c == '[' || c == '{') && ++depth > kMaxDepth)
      return i;
    else if ((c == ']' || c == '}') && depth > 0)
      --depth;
  }
  return StringRef::npos;
}

llvm::Expected<llvm::json::Value> tessera::array::parseJson(StringRef text) {
  size_t deep = findDeepBracket(text);
  if (deep != StringRef::npos)
    return makeError("the JSON has more than " + llvm::Twine(kMaxDepth) +
                     " levels of nesting at byte " + llvm::Twine(deep));
  return llvm::json::parse(text);
}
