//===- Document.h - A source in an editor -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of one file: its text, the outline of its names, and the results of
// the front end. The text is read again after every change. Types are kept from
// the last text that could be parsed, since most changes are incomplete at
// first.
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

/// Values of compile-time parameters, for all files.
using Defines = std::vector<std::pair<std::string, std::string>>;

/// The type of a declaration, in one instance of the code around it.
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
  /// Related locations.
  std::vector<FoundDiagnostic> notes;
};

/// A fn as other code sees it.
struct FnText {
  std::string declaration, documentation;
  /// The name and the parameters: `times(v, by: int)`.
  std::string form;
};

class Document {
public:
  Document(std::string uri, const Defines &defines);

  /// Replaces the text and reads it.
  void update(std::string text, int64_t version);

  /// Reads the text again if it uses other files, which may have changed.
  /// Returns whether it does.
  bool refresh();

  // Answers to the requests of the protocol.
  llvm::json::Value getDiagnostics() const;
  llvm::json::Value getHover(llvm::lsp::Position position) const;
  llvm::json::Value getDefinition(llvm::lsp::Position position) const;
  llvm::json::Value getReferences(llvm::lsp::Position position,
                                  bool withDeclaration) const;
  /// Returns the range of the name at the position; null if there is none.
  llvm::json::Value prepareRename(llvm::lsp::Position position) const;
  /// Returns the edits, or an error if the text would change its meaning.
  llvm::Expected<llvm::json::Value> rename(llvm::lsp::Position position,
                                           llvm::StringRef newName) const;
  llvm::json::Value getSignatureHelp(llvm::lsp::Position position) const;
  llvm::json::Value getSymbols() const;
  llvm::json::Value getCompletion(llvm::lsp::Position position) const;
  llvm::json::Value getInlayHints(llvm::lsp::Range range) const;
  llvm::json::Value getFormatting() const;
  llvm::json::Value getSemanticTokens() const;
  llvm::json::Value getActions(llvm::lsp::Range range) const;

private:
  void compile();
  void addIncompleteKernels();
  /// Returns the token at the position, if it is a name or refers to one.
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
  /// Returns the text of a kernel, a fn or a fn of another file.
  FnText readFn(const frontend::OutlineName &name) const;
  llvm::json::Object makeSymbol(const frontend::OutlineName &name) const;
  llvm::json::Value getDiagnosticJSON(const FoundDiagnostic &found) const;
  /// Returns the range of an error and, if it is about an unknown name, the
  /// ranges of the same name later in the kernel or fn.
  std::vector<llvm::lsp::Range> findUses(const FoundDiagnostic &found) const;

  std::string uri;
  /// The path of the file, relative to which it uses others.
  std::string path;
  const Defines &defines;
  std::string text;
  int64_t version = 0;
  std::unique_ptr<TextPositions> positions;
  std::unique_ptr<frontend::Outline> outline;
  std::vector<FoundDiagnostic> diagnostics;
  /// By the keys of names in the outline.
  llvm::StringMap<std::vector<FoundType>> types;
};

/// Returns the kinds and modifiers of semantic tokens, in the order of their
/// numbers.
llvm::json::Object getSemanticTokenLegend();

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_DOCUMENT_H
