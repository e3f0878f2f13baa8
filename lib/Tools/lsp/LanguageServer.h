//===- LanguageServer.h - Requests of an editor -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers requests about .tile files and forwards requests about .mlir files.
// The kind of a file follows from the language that the editor reports, or from
// its name.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LSP_LANGUAGESERVER_H
#define TESSERA_LIB_TOOLS_LSP_LANGUAGESERVER_H

#include "Document.h"
#include "MlirServer.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tessera::tools {

class LanguageServer {
public:
  LanguageServer(llvm::lsp::JSONTransport &transport,
                 mlir::DialectRegistry &registry, Defines defines);

  /// Runs until the client ends the session or its messages end. Returns false
  /// if the client did not request a shutdown.
  bool run();

private:
  using Answer =
      llvm::function_ref<llvm::Expected<llvm::json::Value>(const Document &)>;

  // Requests about the server.
  void initialize(const RawParams &params, Reply reply);
  void initialized(const RawParams &) {}
  void shutdown(const RawParams &params, Reply reply);
  void refuse(const RawParams &params, Reply reply);

  // Notifications about documents.
  void open(const RawParams &params);
  void change(const RawParams &params);
  void close(const RawParams &params);
  void save(const RawParams &params);

  // Requests about positions in documents.
  void hover(const RawParams &params, Reply reply);
  void definition(const RawParams &params, Reply reply);
  void references(const RawParams &params, Reply reply);
  void prepareRename(const RawParams &params, Reply reply);
  void rename(const RawParams &params, Reply reply);
  void signatureHelp(const RawParams &params, Reply reply);
  void symbols(const RawParams &params, Reply reply);
  void completion(const RawParams &params, Reply reply);
  void inlayHints(const RawParams &params, Reply reply);
  void formatting(const RawParams &params, Reply reply);
  void semanticTokens(const RawParams &params, Reply reply);
  void actions(const RawParams &params, Reply reply);

  bool isMlir(llvm::StringRef uri) const { return mlirFiles.contains(uri); }
  void answer(llvm::StringLiteral method, const RawParams &params, Reply reply,
              Answer answer);
  void answerAt(llvm::StringLiteral method, const RawParams &params,
                Reply reply,
                llvm::function_ref<llvm::Expected<llvm::json::Value>(
                    const Document &, llvm::lsp::Position)>
                    answer);
  void publish(const Document &document);

  llvm::lsp::JSONTransport &transport;
  llvm::lsp::MessageHandler handler;
  llvm::lsp::OutgoingNotification<RawParams> publishDiagnostics;
  MlirServer mlirServer;
  Defines defines;
  llvm::StringMap<std::unique_ptr<Document>> documents;
  llvm::StringSet<> mlirFiles;
  bool wasShutDown = false;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_LANGUAGESERVER_H
