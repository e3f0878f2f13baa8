//===- Names.cpp - Locations of names ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Locations of names: declarations, uses, the tree of a file, and semantic
// tokens, whose colours an editor cannot determine from the syntax.
//
//===----------------------------------------------------------------------===//

#include "Document.h"
#include "UsedFile.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera::tools;
using namespace tessera::frontend;
namespace protocol = llvm::lsp;

llvm::json::Value Document::getDefinition(protocol::Position position) const {
  const OutlineToken *token = findName(position);
  if (!token)
    return nullptr;
  const OutlineName &name = outline->getNames()[token->name];
  if (name.kind == OutlineName::Kind::UsedFn) {
    UsedFile file(path, name);
    const OutlineName *fn = file.getFn();
    if (std::string other = file.getUri(); fn && !other.empty()) {
      TextPositions places(file.getOutline().getSource());
      return llvm::json::Object{
          {"uri", other},
          {"range",
           toJSON(places.getRange(fn->offset, fn->offset + fn->name.size()))}};
    }
  }
  return getLocation(getNameRange(name));
}

llvm::json::Value Document::getReferences(protocol::Position position,
                                          bool withDeclaration) const {
  llvm::json::Array places;
  const OutlineToken *asked = findName(position);
  if (!asked)
    return places;
  size_t declaration = outline->getNames()[asked->name].offset;
  for (const OutlineToken &token : outline->getTokens())
    if (token.name == asked->name &&
        (withDeclaration || token.offset != declaration))
      places.push_back(getLocation(getRange(token)));
  return places;
}

static protocol::SymbolKind getSymbolKind(OutlineName::Kind kind) {
  switch (kind) {
  case OutlineName::Kind::Kernel:
  case OutlineName::Kind::Fn:
  case OutlineName::Kind::UsedFn:
    return protocol::SymbolKind::Function;
  case OutlineName::Kind::CompileTimeParameter:
    return protocol::SymbolKind::TypeParameter;
  case OutlineName::Kind::Size:
  case OutlineName::Kind::Let:
    return protocol::SymbolKind::Constant;
  default:
    return protocol::SymbolKind::Variable;
  }
}

llvm::json::Object Document::makeSymbol(const OutlineName &name) const {
  bool isWhole = name.owner == OutlineName::none;
  protocol::Range itself = getNameRange(name);
  protocol::Range whole =
      isWhole ? positions->getRange(name.begin, name.end) : itself;
  llvm::json::Object json{{"name", name.name},
                          {"kind", static_cast<int>(getSymbolKind(name.kind))},
                          {"range", toJSON(whole)},
                          {"selectionRange", toJSON(itself)}};
  size_t number = &name - outline->getNames().data();
  if (isWhole)
    json["detail"] = name.kind == OutlineName::Kind::Kernel ? "kernel" : "fn";
  else if (llvm::ArrayRef<FoundType> found = getTypes(number); !found.empty())
    json["detail"] = found.front().type;
  return json;
}

llvm::json::Value Document::getSymbols() const {
  llvm::json::Array symbols;
  for (auto [number, name] : llvm::enumerate(outline->getNames())) {
    // The symbols of a file are those that it declares.
    if (name.owner != OutlineName::none ||
        name.kind == OutlineName::Kind::UsedFn)
      continue;
    llvm::json::Array children;
    for (const OutlineName &inner : outline->getNames())
      if (inner.owner == static_cast<int>(number))
        children.push_back(makeSymbol(inner));
    llvm::json::Object symbol = makeSymbol(name);
    symbol["children"] = std::move(children);
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

namespace {
enum SemanticKind : unsigned {
  FunctionToken,
  ParameterToken,
  VariableToken,
  ConstantToken,
  TypeToken,
  PropertyToken,
  KeywordToken
};
enum SemanticModifier : unsigned {
  DeclarationModifier = 1,
  ReadonlyModifier = 2,
  LibraryModifier = 4
};
} // namespace

llvm::json::Object tessera::tools::getSemanticTokenLegend() {
  return llvm::json::Object{
      {"tokenTypes",
       llvm::json::Array{"function", "parameter", "variable", "typeParameter",
                         "type", "property", "keyword"}},
      {"tokenModifiers",
       llvm::json::Array{"declaration", "readonly", "defaultLibrary"}}};
}

static std::pair<unsigned, unsigned> classify(const OutlineName &name) {
  switch (name.kind) {
  case OutlineName::Kind::Kernel:
  case OutlineName::Kind::Fn:
  case OutlineName::Kind::UsedFn:
    return {FunctionToken, 0};
  case OutlineName::Kind::CompileTimeParameter:
  case OutlineName::Kind::Size:
    return {ConstantToken, ReadonlyModifier};
  case OutlineName::Kind::Parameter:
    return {ParameterToken, 0};
  case OutlineName::Kind::Var:
    return {VariableToken, 0};
  default:
    return {VariableToken, ReadonlyModifier};
  }
}

llvm::json::Value Document::getSemanticTokens() const {
  llvm::json::Array data;
  protocol::Position last;
  for (const OutlineToken &token : outline->getTokens()) {
    unsigned kind = 0, modifiers = 0;
    if (token.kind == OutlineToken::Kind::Member ||
        token.kind == OutlineToken::Kind::Label) {
      kind = PropertyToken;
    } else if (token.name != OutlineName::none) {
      const OutlineName &name = outline->getNames()[token.name];
      std::tie(kind, modifiers) = classify(name);
      if (token.offset == name.offset && name.kind != OutlineName::Kind::UsedFn)
        modifiers |= DeclarationModifier;
    } else if (token.kind == OutlineToken::Kind::Function) {
      kind = FunctionToken;
      modifiers = LibraryModifier;
    } else if (token.kind == OutlineToken::Kind::Type) {
      kind = TypeToken;
      modifiers = LibraryModifier;
    } else if (token.kind == OutlineToken::Kind::Keyword) {
      kind = KeywordToken;
    } else {
      continue;
    }
    protocol::Position position = positions->getPosition(token.offset);
    bool sameLine = position.line == last.line;
    for (unsigned number :
         {static_cast<unsigned>(position.line - last.line),
          static_cast<unsigned>(position.character -
                                (sameLine ? last.character : 0)),
          static_cast<unsigned>(token.length), kind, modifiers})
      data.push_back(number);
    last = position;
  }
  return llvm::json::Object{{"data", std::move(data)}};
}
