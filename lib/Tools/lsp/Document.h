//===- Document.h - A source that an editor shows ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of one file: its text, the outline of its names, and what the
// front end says of it. The text is read anew with every change. Types are kept
// from the last text that could be read, since most changes are halves of one.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LSP_DOCUMENT_H
#define TESSERA_LIB_TOOLS_LSP_DOCUMENT_H

#include "TextPositions.h"

#include "tessera/Frontend/Outline.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <memory>

namespace tessera::tools {

/// Values for compile-time parameters, for all files.
using Defines = std::vector<std::pair<std::string, std::string>>;

/// What a declaration is found to be, in one instance of the code around it.
struct FoundType {
  std::string type, dimensions;
  bool operator==(const FoundType &other) const {
    return type == other.type && dimensions == other.dimensions;
  }
};

struct FoundDiagnostic {
  llvm::lsp::DiagnosticSeverity severity;
  size_t begin, end;
  std::string message;
  /// Other places that it is about.
  std::vector<FoundDiagnostic> notes;
};

class Document {
public:
  Document(std::string uri, const Defines &defines)
      : uri(std::move(uri)), defines(defines) {}

  /// Takes a new text and reads it.
  void update(std::string text, int64_t version);

  // What the requests of the protocol are answered with.
  llvm::json::Value getDiagnostics() const;
  llvm::json::Value getHover(llvm::lsp::Position position) const;
  llvm::json::Value getDefinition(llvm::lsp::Position position) const;
  llvm::json::Value getReferences(llvm::lsp::Position position,
                                  bool withDeclaration) const;
  llvm::json::Value getSymbols() const;
  llvm::json::Value getCompletion(llvm::lsp::Position position) const;
  llvm::json::Value getInlayHints(llvm::lsp::Range range) const;
  llvm::json::Value getFormatting() const;
  llvm::json::Value getSemanticTokens() const;
  llvm::json::Value getActions(llvm::lsp::Range range) const;

private:
  void compile();
  void addIncompleteKernels();
  /// The token that the position is in or at, if it is or refers to a name.
  const frontend::OutlineToken *findName(llvm::lsp::Position position) const;
  llvm::lsp::Range getRange(const frontend::OutlineToken &token) const {
    return positions->getRange(token.offset, token.getEnd());
  }
  llvm::lsp::Range getNameRange(const frontend::OutlineName &name) const {
    return positions->getRange(name.offset, name.offset + name.name.size());
  }
  llvm::json::Object getLocation(llvm::lsp::Range range) const {
    return llvm::json::Object{{"uri", uri}, {"range", toJSON(range)}};
  }
  llvm::ArrayRef<FoundType> getTypes(size_t name) const;
  std::string describeName(size_t name) const;
  llvm::json::Object makeSymbol(const frontend::OutlineName &name) const;
  llvm::json::Value getDiagnosticJSON(const FoundDiagnostic &found) const;

  std::string uri;
  const Defines &defines;
  std::string text;
  int64_t version = 0;
  std::unique_ptr<TextPositions> positions;
  std::unique_ptr<frontend::Outline> outline;
  std::vector<FoundDiagnostic> diagnostics;
  /// By the keys of names in the outline.
  llvm::StringMap<std::vector<FoundType>> types;
};

/// The kinds and modifiers of semantic tokens, in the order of their numbers.
llvm::json::Object getSemanticTokenLegend();

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_DOCUMENT_H
