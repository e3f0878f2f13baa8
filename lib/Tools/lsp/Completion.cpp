//===- Completion.cpp - Proposals for the next word -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Document.h"

#include "tessera/Frontend/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera::tools;
using namespace tessera::frontend;
using llvm::StringRef;
namespace protocol = llvm::lsp;

namespace {
/// Collects proposals, ranked by distance: nearer ones come first.
class Proposals {
public:
  protocol::CompletionItem &
  add(StringRef label, protocol::CompletionItemKind kind, StringRef rank) {
    list.items.emplace_back(label, kind, (rank + label).str());
    return list.items.back();
  }

  void addWords(llvm::ArrayRef<WordText> words,
                protocol::CompletionItemKind kind) {
    for (const WordText &word : words)
      describe(add(word.word, kind, "0"), word);
  }

  static void describe(protocol::CompletionItem &item, const WordText &text) {
    item.detail = text.form.str();
    item.documentation = protocol::MarkupContent{protocol::MarkupKind::Markdown,
                                                 text.text.str()};
  }

  protocol::CompletionList list;
};
} // namespace

static protocol::CompletionItemKind getItemKind(OutlineName::Kind kind) {
  switch (kind) {
  case OutlineName::Kind::Kernel:
  case OutlineName::Kind::Fn:
  case OutlineName::Kind::UsedFn:
    return protocol::CompletionItemKind::Function;
  case OutlineName::Kind::CompileTimeParameter:
    return protocol::CompletionItemKind::TypeParameter;
  case OutlineName::Kind::Size:
  case OutlineName::Kind::Let:
    return protocol::CompletionItemKind::Constant;
  default:
    return protocol::CompletionItemKind::Variable;
  }
}

/// Adds the words of the language that may occur anywhere.
static void addVocabulary(Proposals &proposals) {
  for (StringRef name : getBuiltinFunctions()) {
    protocol::CompletionItem &item =
        proposals.add(name, protocol::CompletionItemKind::Function, "2");
    if (const WordText *text = findFunctionText(name))
      Proposals::describe(item, *text);
  }
  for (StringRef name : getTypeNames())
    proposals.add(name, protocol::CompletionItemKind::Struct, "3");
  for (StringRef word : getKeywords())
    proposals.add(word, protocol::CompletionItemKind::Keyword, "4");
}

llvm::json::Value Document::getCompletion(protocol::Position position) const {
  size_t offset = positions->getOffset(position);
  StringRef before = StringRef(text).take_front(offset).rtrim(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  Proposals proposals;
  if (before.ends_with(".")) {
    proposals.addWords(getMembers(), protocol::CompletionItemKind::Property);
    return toJSON(proposals.list);
  }
  for (auto [number, name] : llvm::enumerate(outline->getNames())) {
    bool isFunction = name.owner == OutlineName::none;
    bool isVisible = name.begin < before.size() && offset <= name.end;
    // Kernels cannot be called.
    if (name.kind == OutlineName::Kind::Kernel || !(isFunction || isVisible))
      continue;
    protocol::CompletionItem &item = proposals.add(
        name.name, getItemKind(name.kind), isFunction ? "1" : "0");
    if (isFunction) {
      FnText fn = readFn(name);
      item.detail = fn.declaration;
      item.documentation = protocol::MarkupContent{
          protocol::MarkupKind::Markdown, fn.documentation};
    } else if (llvm::ArrayRef<FoundType> found = getTypes(number);
               !found.empty()) {
      item.detail = found.front().type;
    }
  }
  // The text between the parentheses of a clause.
  StringRef clause = before.rsplit(')').second;
  if (clause.ltrim().starts_with("schedule") ||
      clause.ltrim().starts_with("numerics"))
    proposals.addWords(getClauseEntries(),
                       protocol::CompletionItemKind::Property);
  addVocabulary(proposals);
  return toJSON(proposals.list);
}
