//===- MessageFuzzer.cpp - Any messages to the language server --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transport of tile-lsp-server reads any text to its end or to an `exit`,
// and answers each message that is not JSON-RPC. The input is a sequence of
// messages, between lines `// -----`.
//
//===----------------------------------------------------------------------===//

#include "Repetition.h"

#include "lib/Tools/lsp/MessageInput.h"

#include <cstdio>

using namespace tessera::tools;
namespace protocol = llvm::lsp;

namespace {
/// Answers two methods: an echo, and the method that replaces malformed
/// messages.
struct Server {
  void refuse(const RawParams &params, Reply reply) {
    reply(MessageInput::getError(params));
  }
  void echo(const RawParams &params, Reply reply) { reply(params.value); }
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text = expandRepetitions(data, size);
  if (text.empty())
    return 0;
  std::FILE *file = fmemopen(text.data(), text.size(), "r");
  std::string answers;
  llvm::raw_string_ostream output(answers);
  protocol::JSONTransport transport(
      std::make_unique<MessageInput>(file,
                                     protocol::JSONStreamStyle::Delimited),
      output);
  protocol::MessageHandler handler(transport);
  Server server;
  handler.method("echo", &server, &Server::echo);
  handler.method(MessageInput::kRefusal, &server, &Server::refuse);
  llvm::Error error = transport.run(handler);
  // The transport ends without an error only at an `exit`, which JSON may write
  // with escapes.
  bool hasExit = text.find("exit") != std::string::npos ||
                 text.find("\\u") != std::string::npos;
  if (!error && !hasExit)
    __builtin_trap();
  llvm::consumeError(std::move(error));
  std::fclose(file);
  return 0;
}
