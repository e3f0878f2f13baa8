//===- SignatureHelp.cpp - Parameters of a call -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers with the parameters of the call around a position. The declaration of
// a fn has its parameters, and the vocabulary has the forms of a built-in
// function: `max(x, y), max(x, axis = n)` are two signatures.
//
//===----------------------------------------------------------------------===//

#include "Document.h"

#include "tessera/Frontend/Vocabulary.h"

#include "llvm/ADT/STLExtras.h"

using namespace tessera::tools;
using namespace tessera::frontend;
using llvm::StringRef;
namespace protocol = llvm::lsp;

/// Splits text at the commas outside of brackets.
static llvm::SmallVector<StringRef> splitList(StringRef text) {
  llvm::SmallVector<StringRef> parts;
  unsigned depth = 0;
  size_t begin = 0;
  for (auto [at, c] : llvm::enumerate(text)) {
    if (c == '(' || c == '[')
      ++depth;
    else if (c == ')' || c == ']')
      depth -= depth != 0;
    else if (c == ',' && depth == 0) {
      parts.push_back(text.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  parts.push_back(text.drop_front(begin).trim());
  if (parts.back().empty())
    parts.pop_back();
  return parts;
}

/// Returns the signature `f(a, b)`, with the ranges of its parameters.
static protocol::SignatureInformation makeSignature(StringRef form,
                                                    StringRef documentation) {
  protocol::SignatureInformation signature;
  signature.label = form.str();
  signature.documentation = documentation.str();
  StringRef inside = form.split('(').second;
  for (StringRef part : splitList(inside.take_front(inside.rfind(')')))) {
    // The protocol counts units of UTF-16.
    TextPositions positions(form);
    size_t begin = part.data() - form.data();
    protocol::ParameterInformation parameter;
    parameter.labelString = part.str();
    parameter.labelOffsets = {
        positions.getPosition(begin).character,
        positions.getPosition(begin + part.size()).character};
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

/// Returns the parameter that gets the argument; the number of parameters if
/// none does.
static size_t findParameter(const protocol::SignatureInformation &signature,
                            const OutlineCall &call) {
  if (call.label.empty())
    return std::min<size_t>(call.argument, signature.parameters.size());
  auto isNamed = [&](const protocol::ParameterInformation &parameter) {
    StringRef text = parameter.labelString;
    return text.take_while([](char c) {
      return llvm::isAlnum(c) || c == '_';
    }) == call.label;
  };
  return llvm::find_if(signature.parameters, isNamed) -
         signature.parameters.begin();
}

llvm::json::Value
Document::getSignatureHelp(protocol::Position position) const {
  std::optional<OutlineCall> call =
      outline->findCall(positions->getOffset(position));
  if (!call)
    return nullptr;
  protocol::SignatureHelp help;
  if (call->callee->name != OutlineName::none) {
    const OutlineName &fn = outline->getNames()[call->callee->name];
    FnText text = readFn(fn);
    if (text.form.empty())
      return nullptr;
    help.signatures.push_back(makeSignature(text.form, text.documentation));
  } else if (const WordText *text =
                 findFunctionText(outline->getText(*call->callee))) {
    for (StringRef form : splitList(text->form))
      help.signatures.push_back(makeSignature(form, text->text));
  }
  if (help.signatures.empty())
    return nullptr;
  for (auto [number, signature] : llvm::enumerate(help.signatures)) {
    help.activeParameter = findParameter(signature, *call);
    help.activeSignature = number;
    if (help.activeParameter < static_cast<int>(signature.parameters.size()))
      return toJSON(help);
  }
  help.activeSignature = 0;
  return toJSON(help);
}
