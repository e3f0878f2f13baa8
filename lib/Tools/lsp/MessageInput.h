//===- MessageInput.h - Checked messages of a client ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's transport ends the server at a message that is not JSON-RPC, and its
// JSON parser recurses once per level of nesting. This input checks each
// message before the transport reads it. It replaces a malformed message by a
// request, whose answer is the error that JSON-RPC prescribes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LSP_MESSAGEINPUT_H
#define TESSERA_LIB_TOOLS_LSP_MESSAGEINPUT_H

#include "RawParams.h"

namespace tessera::tools {

class MessageInput : public llvm::lsp::JSONTransportInput {
public:
  MessageInput(std::FILE *file, llvm::lsp::JSONStreamStyle style)
      : JSONTransportInput(style), input(file, style) {}

  bool hasError() const override { return input.hasError(); }
  bool isEndOfInput() const override { return input.isEndOfInput(); }
  llvm::LogicalResult readDelimitedMessage(std::string &json) override {
    return check(input.readDelimitedMessage(json), json);
  }
  llvm::LogicalResult readStandardMessage(std::string &json) override;

  /// The method of the request that replaces a malformed message.
  static constexpr llvm::StringLiteral kRefusal = "tessera/refused";
  /// Returns the error that the parameters of such a request describe.
  static llvm::Error getError(const RawParams &params);

private:
  static llvm::LogicalResult check(llvm::LogicalResult result,
                                   std::string &json);

  llvm::lsp::JSONTransportInputOverFile input;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LSP_MESSAGEINPUT_H
