//===- MlirServer.h - The language server of MLIR ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's server for .mlir files can only run as a whole, on the standard
// streams of the process. It runs in a thread with pipes as standard streams.
// The thread starts at the first .mlir file.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LSP_MLIRSERVER_H
#define TESSERA_LIB_TOOLS_LSP_MLIRSERVER_H

#include "RawParams.h"

#include "mlir/IR/DialectRegistry.h"

#include <memory>
#include <thread>

namespace tessera::tools {

class MlirServer {
public:
  /// `publish` gets the notifications of the server to its client, from another
  /// thread.
  MlirServer(mlir::DialectRegistry &registry,
             std::function<void(const RawParams &)> publish)
      : registry(registry), publish(std::move(publish)) {}
  ~MlirServer() { stop(); }

  /// Stores the initialisation of the client for the start of the server.
  void setInitializeParams(const RawParams &params) { initialize = params; }

  void notify(llvm::StringLiteral method, const RawParams &params);
  void call(llvm::StringLiteral method, const RawParams &params, Reply reply);
  /// Ends the server, if it runs, and restores the standard streams.
  void stop();

private:
  bool start();
  void handleDiagnostics(const RawParams &params) { publish(params); }

  mlir::DialectRegistry &registry;
  std::function<void(const RawParams &)> publish;
  RawParams initialize;
  std::FILE *fromServer = nullptr;
  std::unique_ptr<llvm::raw_ostream> toServer;
  std::unique_ptr<llvm::lsp::JSONTransport> transport;
  std::unique_ptr<llvm::lsp::MessageHandler> handler;
  std::thread server, reader;
  int standardInput = -1, standardOutput = -1;
  int64_t lastRequest = 0;
  bool hasFailed = false;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_MLIRSERVER_H
