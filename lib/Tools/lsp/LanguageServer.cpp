//===- LanguageServer.cpp - Requests of an editor ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dispatches requests: those about .tile files to Document, those about .mlir
// files to MLIR's server.
//
//===----------------------------------------------------------------------===//

#include "LanguageServer.h"

#include "MessageInput.h"

using namespace tessera::tools;
namespace protocol = llvm::lsp;
using llvm::StringRef;

LanguageServer::LanguageServer(protocol::JSONTransport &transport,
                               mlir::DialectRegistry &registry, Defines defines)
    : transport(transport), handler(transport),
      publishDiagnostics(handler.outgoingNotification<RawParams>(
          "textDocument/publishDiagnostics")),
      mlirServer(
          registry,
          [this](const RawParams &params) { publishDiagnostics(params); }),
      defines(std::move(defines)) {
  using Server = LanguageServer;
  handler.method("initialize", this, &Server::initialize);
  handler.notification("initialized", this, &Server::initialized);
  handler.method("shutdown", this, &Server::shutdown);
  handler.notification("textDocument/didOpen", this, &Server::open);
  handler.notification("textDocument/didChange", this, &Server::change);
  handler.notification("textDocument/didClose", this, &Server::close);
  handler.notification("textDocument/didSave", this, &Server::save);
  handler.method("textDocument/hover", this, &Server::hover);
  handler.method("textDocument/definition", this, &Server::definition);
  handler.method("textDocument/references", this, &Server::references);
  handler.method("textDocument/prepareRename", this, &Server::prepareRename);
  handler.method("textDocument/rename", this, &Server::rename);
  handler.method("textDocument/signatureHelp", this, &Server::signatureHelp);
  handler.method("textDocument/documentSymbol", this, &Server::symbols);
  handler.method("textDocument/completion", this, &Server::completion);
  handler.method("textDocument/inlayHint", this, &Server::inlayHints);
  handler.method("textDocument/formatting", this, &Server::formatting);
  handler.method("textDocument/semanticTokens/full", this,
                 &Server::semanticTokens);
  handler.method("textDocument/codeAction", this, &Server::actions);
  handler.method(MessageInput::kRefusal, this, &Server::refuse);
}

bool LanguageServer::run() {
  llvm::Error error = transport.run(handler);
  bool wasCut = static_cast<bool>(error);
  llvm::consumeError(std::move(error));
  mlirServer.stop();
  return wasShutDown && !wasCut;
}

void LanguageServer::initialize(const RawParams &params, Reply reply) {
  mlirServer.setInitializeParams(params);
  if (const llvm::json::Value *given =
          params.find({"initializationOptions", "defines"}))
    if (const llvm::json::Object *values = given->getAsObject())
      for (const auto &[name, value] : *values)
        if (std::optional<StringRef> text = value.getAsString())
          defines.emplace_back(name.str(), text->str());
  reply(llvm::json::Object{
      {"serverInfo", llvm::json::Object{{"name", "tile-lsp-server"}}},
      {"capabilities",
       llvm::json::Object{
           {"textDocumentSync",
            llvm::json::Object{
                {"openClose", true},
                {"change",
                 static_cast<int>(protocol::TextDocumentSyncKind::Full)},
                {"save", true}}},
           {"hoverProvider", true},
           {"definitionProvider", true},
           {"referencesProvider", true},
           {"renameProvider", llvm::json::Object{{"prepareProvider", true}}},
           {"signatureHelpProvider",
            llvm::json::Object{
                {"triggerCharacters", llvm::json::Array{"(", ","}}}},
           {"documentSymbolProvider", true},
           {"completionProvider",
            llvm::json::Object{{"triggerCharacters", llvm::json::Array{"."}}}},
           {"inlayHintProvider", true},
           {"documentFormattingProvider", true},
           {"semanticTokensProvider",
            llvm::json::Object{{"legend", getSemanticTokenLegend()},
                               {"full", true}}},
           {"codeActionProvider",
            llvm::json::Object{
                {"codeActionKinds", llvm::json::Array{"quickfix"}}}}}}});
}

void LanguageServer::shutdown(const RawParams &params, Reply reply) {
  wasShutDown = true;
  mlirServer.stop();
  reply(nullptr);
}

void LanguageServer::refuse(const RawParams &params, Reply reply) {
  reply(MessageInput::getError(params));
}

void LanguageServer::publish(const Document &document) {
  publishDiagnostics({document.getDiagnostics()});
}

static int64_t getVersion(const RawParams &params) {
  const llvm::json::Value *version = params.find({"textDocument", "version"});
  return version ? version->getAsInteger().value_or(0) : 0;
}

void LanguageServer::open(const RawParams &params) {
  StringRef uri = params.findText({"textDocument", "uri"});
  StringRef language = params.findText({"textDocument", "languageId"});
  if (language == "mlir" || (language != "tile" && uri.ends_with(".mlir"))) {
    mlirFiles.insert(uri);
    return mlirServer.notify("textDocument/didOpen", params);
  }
  std::unique_ptr<Document> &document = documents[uri];
  document = std::make_unique<Document>(uri.str(), defines);
  document->update(params.findText({"textDocument", "text"}).str(),
                   getVersion(params));
  publish(*document);
}

void LanguageServer::change(const RawParams &params) {
  StringRef uri = params.findText({"textDocument", "uri"});
  if (isMlir(uri))
    return mlirServer.notify("textDocument/didChange", params);
  auto found = documents.find(uri);
  const llvm::json::Value *changes = params.find({"contentChanges"});
  if (found == documents.end() || !changes || !changes->getAsArray() ||
      changes->getAsArray()->empty())
    return;
  // Each change has the whole text; the last one counts.
  RawParams last{changes->getAsArray()->back()};
  found->second->update(last.findText({"text"}).str(), getVersion(params));
  publish(*found->second);
}

void LanguageServer::save(const RawParams &params) {
  // Other files may use the saved one.
  for (auto &[uri, document] : documents)
    if (uri != params.findText({"textDocument", "uri"}) && document->refresh())
      publish(*document);
}

void LanguageServer::close(const RawParams &params) {
  StringRef uri = params.findText({"textDocument", "uri"});
  if (isMlir(uri)) {
    mlirServer.notify("textDocument/didClose", params);
    mlirFiles.erase(uri);
  } else if (documents.erase(uri)) {
    publishDiagnostics({llvm::json::Object{
        {"uri", uri}, {"diagnostics", llvm::json::Array()}}});
  }
}

void LanguageServer::answer(llvm::StringLiteral method, const RawParams &params,
                            Reply reply, Answer answer) {
  StringRef uri = params.findText({"textDocument", "uri"});
  auto found = documents.find(uri);
  if (found != documents.end())
    return reply(answer(*found->second));
  if (!isMlir(uri))
    return reply(llvm::make_error<protocol::LSPError>(
        ("the document '" + uri + "' is not open").str(),
        protocol::ErrorCode::InvalidParams));
  // These requests are missing in MLIR's server.
  if (method == "textDocument/prepareRename" ||
      method == "textDocument/rename" ||
      method == "textDocument/signatureHelp" ||
      method == "textDocument/inlayHint" ||
      method == "textDocument/formatting" ||
      method == "textDocument/semanticTokens/full")
    return reply(nullptr);
  mlirServer.call(method, params, std::move(reply));
}

template <typename T>
static llvm::Expected<T> getPart(const RawParams &params, StringRef method,
                                 StringRef key) {
  const llvm::json::Value *part = params.find({key});
  return protocol::MessageHandler::parse<T>(part ? *part : nullptr, method,
                                            key);
}

void LanguageServer::answerAt(
    llvm::StringLiteral method, const RawParams &params, Reply reply,
    llvm::function_ref<llvm::Expected<llvm::json::Value>(const Document &,
                                                         protocol::Position)>
        answerPosition) {
  auto position = getPart<protocol::Position>(params, method, "position");
  if (!position)
    return reply(position.takeError());
  answer(method, params, std::move(reply), [&](const Document &document) {
    return answerPosition(document, *position);
  });
}

void LanguageServer::hover(const RawParams &params, Reply reply) {
  answerAt("textDocument/hover", params, std::move(reply),
           [](const Document &document, protocol::Position position) {
             return document.getHover(position);
           });
}

void LanguageServer::definition(const RawParams &params, Reply reply) {
  answerAt("textDocument/definition", params, std::move(reply),
           [](const Document &document, protocol::Position position) {
             return document.getDefinition(position);
           });
}

void LanguageServer::references(const RawParams &params, Reply reply) {
  const llvm::json::Value *all = params.find({"context", "includeDeclaration"});
  bool withDeclaration = all && all->getAsBoolean().value_or(false);
  answerAt("textDocument/references", params, std::move(reply),
           [&](const Document &document, protocol::Position position) {
             return document.getReferences(position, withDeclaration);
           });
}

void LanguageServer::prepareRename(const RawParams &params, Reply reply) {
  answerAt("textDocument/prepareRename", params, std::move(reply),
           [](const Document &document, protocol::Position position) {
             return document.prepareRename(position);
           });
}

void LanguageServer::rename(const RawParams &params, Reply reply) {
  answerAt("textDocument/rename", params, std::move(reply),
           [&](const Document &document, protocol::Position position) {
             return document.rename(position, params.findText({"newName"}));
           });
}

void LanguageServer::signatureHelp(const RawParams &params, Reply reply) {
  answerAt("textDocument/signatureHelp", params, std::move(reply),
           [](const Document &document, protocol::Position position) {
             return document.getSignatureHelp(position);
           });
}

void LanguageServer::symbols(const RawParams &params, Reply reply) {
  answer("textDocument/documentSymbol", params, std::move(reply),
         [](const Document &document) { return document.getSymbols(); });
}

void LanguageServer::completion(const RawParams &params, Reply reply) {
  answerAt("textDocument/completion", params, std::move(reply),
           [](const Document &document, protocol::Position position) {
             return document.getCompletion(position);
           });
}

void LanguageServer::inlayHints(const RawParams &params, Reply reply) {
  auto range =
      getPart<protocol::Range>(params, "textDocument/inlayHint", "range");
  if (!range)
    return reply(range.takeError());
  answer(
      "textDocument/inlayHint", params, std::move(reply),
      [&](const Document &document) { return document.getInlayHints(*range); });
}

void LanguageServer::formatting(const RawParams &params, Reply reply) {
  answer("textDocument/formatting", params, std::move(reply),
         [](const Document &document) { return document.getFormatting(); });
}

void LanguageServer::semanticTokens(const RawParams &params, Reply reply) {
  answer("textDocument/semanticTokens/full", params, std::move(reply),
         [](const Document &document) { return document.getSemanticTokens(); });
}

void LanguageServer::actions(const RawParams &params, Reply reply) {
  auto range =
      getPart<protocol::Range>(params, "textDocument/codeAction", "range");
  if (!range)
    return reply(range.takeError());
  answer("textDocument/codeAction", params, std::move(reply),
         [&](const Document &document) { return document.getActions(*range); });
}
