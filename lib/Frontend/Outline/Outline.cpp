//===- Outline.cpp - The names of an incomplete source ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries of an outline.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Outline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace tessera::frontend;
using llvm::StringRef;

const OutlineToken *Outline::findTokenAt(size_t offset) const {
  auto found = llvm::lower_bound(
      tokens, offset,
      [](const OutlineToken &token, size_t at) { return token.offset < at; });
  return found != tokens.end() && found->offset == offset ? &*found : nullptr;
}

const OutlineToken *Outline::findToken(size_t offset) const {
  auto after = llvm::upper_bound(
      tokens, offset,
      [](size_t at, const OutlineToken &token) { return at < token.offset; });
  // Checks the last two tokens that begin at or before the offset; a word wins.
  const OutlineToken *found = nullptr;
  for (int i = 0; i < 2 && after != tokens.begin(); ++i) {
    const OutlineToken &token = *--after;
    bool isWord = token.kind != OutlineToken::Kind::Other;
    if (offset < token.getEnd() ? isWord || !found
                                : offset == token.getEnd() && isWord)
      found = &token;
    if (isWord)
      break;
  }
  return found;
}

std::string Outline::getDocumentation(const OutlineName &name) const {
  llvm::SmallVector<StringRef> lines;
  StringRef before = source.take_front(name.begin).rtrim(" \t");
  while (before.consume_back("\n")) {
    size_t begin = before.rfind('\n') + 1;
    StringRef line = before.drop_front(begin).trim();
    if (!line.consume_front("///"))
      break;
    lines.push_back(line.drop_while([](char c) { return c == ' '; }));
    before = before.take_front(begin);
  }
  std::string text;
  for (StringRef line : llvm::reverse(lines))
    text += (line + "\n").str();
  return StringRef(text).trim().str();
}

std::string Outline::getKey(size_t number) const {
  const OutlineName &name = names[number];
  StringRef owner =
      name.owner == OutlineName::none ? StringRef() : names[name.owner].name;
  return (owner + "/" + name.name + "/" + llvm::Twine(name.ordinal)).str();
}
