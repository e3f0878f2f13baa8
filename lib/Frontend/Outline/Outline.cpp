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

#include "Parser/Documentation.h"

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

std::optional<OutlineCall> Outline::findCall(size_t offset) const {
  auto token = llvm::lower_bound(
      tokens, offset,
      [](const OutlineToken &token, size_t at) { return token.offset < at; });
  OutlineCall call;
  unsigned depth = 0;
  while (token != tokens.begin()) {
    StringRef text = getText(*--token);
    if (text == ";" || text == "kernel" || text == "fn")
      return std::nullopt;
    if (text == ")" || text == "]" || text == "}") {
      ++depth;
    } else if (text == "(" || text == "[" || text == "{") {
      if (depth != 0) {
        --depth;
        continue;
      }
      if (text == "(" && token != tokens.begin() &&
          (token - 1)->kind == OutlineToken::Kind::Function) {
        call.callee = &*(token - 1);
        bool isDeclaration =
            call.callee->name != OutlineName::none &&
            names[call.callee->name].offset == call.callee->offset;
        if (isDeclaration)
          return std::nullopt;
        return call;
      }
      // The arguments counted so far are those of an index or a block.
      call = OutlineCall();
    } else if (depth != 0) {
      continue;
    } else if (text == ",") {
      ++call.argument;
    } else if (token->kind == OutlineToken::Kind::Label && call.argument == 0) {
      call.label = text;
    }
  }
  return std::nullopt;
}

llvm::SmallVector<int> Outline::getParameters(int owner) const {
  llvm::SmallVector<int> parameters;
  for (auto [number, name] : llvm::enumerate(names))
    if (name.owner == owner && name.kind == OutlineName::Kind::Parameter)
      parameters.push_back(number);
  return parameters;
}

void Outline::resolveLabels() {
  for (OutlineToken &token : tokens) {
    if (token.kind != OutlineToken::Kind::Label)
      continue;
    std::optional<OutlineCall> call = findCall(token.offset);
    if (!call || call->callee->name == OutlineName::none)
      continue;
    for (int parameter : getParameters(call->callee->name))
      if (names[parameter].name == getText(token))
        token.name = parameter;
  }
}

std::string Outline::getDocumentation(const OutlineName &name) const {
  return frontend::getDocumentation(source, name.begin);
}

std::string Outline::getKey(size_t number) const {
  const OutlineName &name = names[number];
  StringRef owner =
      name.owner == OutlineName::none ? StringRef() : names[name.owner].name;
  return (owner + "/" + name.name + "/" + llvm::Twine(name.ordinal)).str();
}
