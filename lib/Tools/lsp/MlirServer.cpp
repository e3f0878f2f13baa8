//===- MlirServer.cpp - The language server of MLIR -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Connects MLIR's server by pipes: the standard streams of the process are
// exchanged, and two threads run the server and read its messages.
//
//===----------------------------------------------------------------------===//

#include "MlirServer.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace tessera::tools;
namespace protocol = llvm::lsp;

bool MlirServer::start() {
  if (hasFailed || server.joinable())
    return !hasFailed;
  int in[2], out[2];
  hasFailed = pipe(in) != 0 || pipe(out) != 0;
  if (hasFailed)
    return false;
  standardInput = dup(STDIN_FILENO);
  standardOutput = dup(STDOUT_FILENO);
  dup2(in[0], STDIN_FILENO);
  dup2(out[1], STDOUT_FILENO);
  close(in[0]);
  close(out[1]);
  fromServer = fdopen(out[0], "r");
  toServer = std::make_unique<llvm::raw_fd_ostream>(in[1],
                                                    /*shouldClose=*/true);
  transport = std::make_unique<protocol::JSONTransport>(fromServer, *toServer);
  handler = std::make_unique<protocol::MessageHandler>(*transport);
  handler->notification("textDocument/publishDiagnostics", this,
                        &MlirServer::handleDiagnostics);
  server = std::thread([this] {
    char name[] = "tile-lsp-server", log[] = "--log=error";
    char *arguments[] = {name, log, nullptr};
    // The server fails only if the client ended without a shutdown request.
    (void)mlir::MlirLspServerMain(2, arguments, registry);
  });
  reader =
      std::thread([this] { llvm::consumeError(transport->run(*handler)); });
  call("initialize", initialize, [](llvm::Expected<llvm::json::Value> reply) {
    llvm::consumeError(reply.takeError());
  });
  notify("initialized", {llvm::json::Object()});
  return true;
}

void MlirServer::notify(llvm::StringLiteral method, const RawParams &params) {
  if (start())
    handler->outgoingNotification<RawParams>(method)(params);
}

void MlirServer::call(llvm::StringLiteral method, const RawParams &params,
                      Reply reply) {
  if (!start())
    return reply(nullptr);
  auto shared = std::make_shared<Reply>(std::move(reply));
  handler->outgoingRequest<RawParams, RawParams>(
      method, [shared](llvm::json::Value, llvm::Expected<RawParams> result) {
        if (!result)
          return (*shared)(result.takeError());
        (*shared)(result->value);
      })(params, ++lastRequest);
}

void MlirServer::stop() {
  if (!server.joinable())
    return;
  call("shutdown", {}, [](llvm::Expected<llvm::json::Value> reply) {
    llvm::consumeError(reply.takeError());
  });
  notify("exit", {});
  server.join();
  // The reader reaches the end of its input when the last writer is closed.
  dup2(standardInput, STDIN_FILENO);
  dup2(standardOutput, STDOUT_FILENO);
  close(standardInput);
  close(standardOutput);
  reader.join();
  fclose(fromServer);
}
