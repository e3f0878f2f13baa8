//===- MessageInput.cpp - Checked messages of a client ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Validates JSON-RPC messages before LLVM's transport. Invariant: the transport
// only gets requests, notifications and responses, of bounded nesting.
//
//===----------------------------------------------------------------------===//

#include "MessageInput.h"

#include "tessera/Array/BoundedJson.h"

using namespace tessera::tools;
namespace json = llvm::json;
namespace protocol = llvm::lsp;

/// Checks whether a JSON value is a request, a notification or a response.
static bool isMessage(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object || object->getString("jsonrpc") != "2.0")
    return false;
  if (object->get("method"))
    return object->getString("method").has_value();
  return object->get("id") && (object->get("result") || object->get("error"));
}

/// Returns the request that replaces a malformed message.
static std::string makeRefusal(protocol::ErrorCode code,
                               const std::string &message) {
  json::Value request = json::Object{
      {"jsonrpc", "2.0"},
      {"id", nullptr},
      {"method", MessageInput::kRefusal},
      {"params", json::Object{{"code", static_cast<int>(code)},
                              {"message", json::fixUTF8(message)}}}};
  std::string text;
  llvm::raw_string_ostream(text) << request;
  return text;
}

llvm::LogicalResult MessageInput::check(llvm::LogicalResult result,
                                        std::string &json) {
  if (failed(result))
    return result;
  llvm::Expected<json::Value> value = array::parseJson(json);
  if (!value)
    json = makeRefusal(protocol::ErrorCode::ParseError,
                       llvm::toString(value.takeError()));
  else if (!isMessage(*value))
    json = makeRefusal(protocol::ErrorCode::InvalidRequest,
                       "expected a message of JSON-RPC 2.0: an object with "
                       "'jsonrpc', and 'method', or 'id' and 'result' or "
                       "'error'");
  return result;
}

llvm::LogicalResult MessageInput::readStandardMessage(std::string &json) {
  if (succeeded(input.readStandardMessage(json)))
    return check(llvm::success(), json);
  if (input.hasError() || input.isEndOfInput())
    return llvm::failure();
  json = makeRefusal(protocol::ErrorCode::ParseError,
                     "expected the header 'Content-Length: N' with N from 1 to "
                     "2^30 before a message");
  return llvm::success();
}

llvm::Error MessageInput::getError(const RawParams &params) {
  const json::Value *code = params.find({"code"});
  return llvm::make_error<protocol::LSPError>(
      params.findText({"message"}).str(),
      static_cast<protocol::ErrorCode>(code ? code->getAsInteger().value_or(0)
                                            : 0));
}
