//===- Rename.cpp - New names for declarations ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Renames a declaration and its uses, among them arguments by name. Invariant:
// each word of the new text refers to the same declaration as before. The
// outline of the new text is compared with that of the old one.
//
//===----------------------------------------------------------------------===//

#include "Document.h"

#include "tessera/Frontend/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera::tools;
using namespace tessera::frontend;
using llvm::StringRef;
namespace protocol = llvm::lsp;

/// Checks whether a name can be declared at all.
static bool isValidName(StringRef name) {
  if (name.empty() || name == "_" || llvm::isDigit(name.front()) ||
      !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return false;
  return !llvm::is_contained(getKeywords(), name) &&
         !llvm::is_contained(getTypeNames(), name) && !isBuiltinFunction(name);
}

/// Checks whether the words of two texts refer to the same declarations.
static bool haveSameNames(const Outline &before, const Outline &after) {
  return llvm::equal(before.getTokens(), after.getTokens(),
                     [](const OutlineToken &a, const OutlineToken &b) {
                       return a.kind == b.kind && a.name == b.name;
                     });
}

llvm::json::Value Document::prepareRename(protocol::Position position) const {
  const OutlineToken *token = findName(position);
  return token ? toJSON(getRange(*token)) : llvm::json::Value(nullptr);
}

llvm::Expected<llvm::json::Value> Document::rename(protocol::Position position,
                                                   StringRef newName) const {
  auto fail = [](const llvm::Twine &message) {
    return llvm::make_error<protocol::LSPError>(
        message.str(), protocol::ErrorCode::RequestFailed);
  };
  const OutlineToken *asked = findName(position);
  if (!asked)
    return fail("there is no declared name here");
  if (!isValidName(newName))
    return fail("`" + newName +
                "` cannot be the name of a declaration; expected letters, "
                "digits and `_`, and no word of the language");
  const OutlineName &name = outline->getNames()[asked->name];
  if (name.kind == OutlineName::Kind::UsedFn)
    return fail("`" + name.name + "` is declared in `" + name.text +
                "`, and a file uses a fn by its own name");
  for (const OutlineName &other : outline->getNames())
    if (&other != &name && other.name == newName && other.owner == name.owner &&
        (name.owner == OutlineName::none ||
         (other.begin < name.end && name.begin < other.end)))
      return fail("`" + newName + "` is declared already in line " +
                  llvm::Twine(getNameRange(other).start.line + 1));
  llvm::json::Array edits;
  std::string renamed;
  size_t end = 0;
  for (const OutlineToken &token : outline->getTokens()) {
    if (token.name != asked->name)
      continue;
    edits.push_back(toJSON(protocol::TextEdit{getRange(token), newName.str()}));
    renamed += StringRef(text).slice(end, token.offset);
    renamed += newName;
    end = token.getEnd();
  }
  renamed += StringRef(text).drop_front(end);
  if (!haveSameNames(*outline, Outline(renamed)))
    return fail("`" + newName + "` occurs in this file with another meaning");
  return llvm::json::Object{
      {"changes", llvm::json::Object{{uri, std::move(edits)}}}};
}
