//===- Hover.cpp - Descriptions of words ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Document.h"
#include "UsedFile.h"

#include "tessera/Frontend/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera::tools;
using namespace tessera::frontend;
using llvm::StringRef;
namespace protocol = llvm::lsp;

static StringRef describeKind(OutlineName::Kind kind) {
  switch (kind) {
  case OutlineName::Kind::Kernel:
    return "kernel";
  case OutlineName::Kind::Fn:
  case OutlineName::Kind::UsedFn:
    return "fn";
  case OutlineName::Kind::CompileTimeParameter:
    return "compile-time parameter";
  case OutlineName::Kind::Size:
    return "size";
  case OutlineName::Kind::Parameter:
    return "parameter";
  case OutlineName::Kind::Axis:
    return "grid axis";
  case OutlineName::Kind::Let:
    return "let";
  case OutlineName::Kind::Var:
    return "var";
  case OutlineName::Kind::Loop:
    return "loop variable";
  }
  return "name";
}

static std::string makeCode(const llvm::Twine &code) {
  return ("```tile\n" + code + "\n```\n").str();
}

/// Returns the syntax of a kind of declaration.
static std::string writeDeclaration(const OutlineName &name) {
  switch (name.kind) {
  case OutlineName::Kind::Let:
    return ("let " + name.name).str();
  case OutlineName::Kind::Var:
    return ("var " + name.name).str();
  default:
    return name.text.empty() ? name.name.str() : name.text.str();
  }
}

static FnText readFn(const Outline &outline, const OutlineName &name) {
  FnText fn{name.text.str(), outline.getDocumentation(name),
            (name.name + "(").str()};
  llvm::ListSeparator comma;
  for (int parameter : outline.getParameters(&name - outline.getNames().data()))
    fn.form +=
        (llvm::StringRef(comma) + outline.getNames()[parameter].text).str();
  fn.form += ")";
  return fn;
}

FnText Document::readFn(const OutlineName &name) const {
  if (name.kind != OutlineName::Kind::UsedFn)
    return ::readFn(*outline, name);
  UsedFile file(path, name);
  if (const OutlineName *fn = file.getFn())
    return ::readFn(file.getOutline(), *fn);
  return {("fn " + name.name).str(), "", ""};
}

std::string Document::describeName(size_t number) const {
  const OutlineName &name = outline->getNames()[number];
  if (name.owner == OutlineName::none) {
    FnText fn = readFn(name);
    return makeCode(fn.declaration) + fn.documentation;
  }
  bool isBare = name.text.empty() || name.text == name.name;
  llvm::ArrayRef<FoundType> found = getTypes(number);
  std::string text = writeDeclaration(name);
  if (isBare && found.size() == 1)
    text += ": " + found.front().type;
  text = makeCode(text) + describeKind(name.kind).str();
  if (found.empty())
    return text;
  for (const FoundType &type : found) {
    if (!isBare || found.size() > 1)
      text += "\\\n`" + type.type + "`";
    if (!type.dimensions.empty())
      text += ", over `" + type.dimensions + "`";
  }
  return text;
}

/// Returns the text of a word in one of the lists.
static std::string describeWord(llvm::ArrayRef<WordText> words,
                                StringRef word) {
  const WordText *found = llvm::find_if(
      words, [&](const WordText &text) { return text.word == word; });
  return found == words.end() ? "" : makeCode(found->form) + found->text.str();
}

llvm::json::Value Document::getHover(protocol::Position position) const {
  const OutlineToken *token =
      outline->findToken(positions->getOffset(position));
  if (!token)
    return nullptr;
  std::string text;
  StringRef word = outline->getText(*token);
  if (token->name != OutlineName::none)
    text = describeName(token->name);
  else if (const WordText *function = findFunctionText(word);
           function && token->kind == OutlineToken::Kind::Function)
    text = describeWord(*function, word);
  else if (token->kind == OutlineToken::Kind::Member)
    text = describeWord(getMembers(), word);
  else if (token->kind == OutlineToken::Kind::Label)
    text = describeWord(getClauseEntries(), word);
  if (text.empty())
    return nullptr;
  protocol::Hover hover(getRange(*token));
  hover.contents.value = std::move(text);
  return toJSON(hover);
}
