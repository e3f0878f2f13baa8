//===- MessageLog.h - Messages of a compilation -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_HTML_MESSAGELOG_H
#define TESSERA_LIB_TOOLS_COMPILE_HTML_MESSAGELOG_H

#include "Listing.h"

#include "mlir/IR/Diagnostics.h"

namespace tessera::tools {

/// Records the diagnostics of a context during its lifetime, and forwards them.
class MessageLog {
public:
  /// With `hidesRemarks`, remarks are recorded but not forwarded.
  MessageLog(MLIRContext *context, PlaceTable &places, bool hidesRemarks);
  ~MessageLog();

  /// Attributes later messages to the next phase.
  void endPhase() { ++phase; }

  /// Writes an array.
  void write(llvm::json::OStream &json) const;

private:
  struct Message {
    StringRef severity;
    std::string text;
    SmallVector<unsigned> places;
    /// Number of completed phases.
    unsigned phase;
    std::vector<Message> notes;
  };

  Message read(Diagnostic &diagnostic);
  static void write(llvm::json::OStream &json, const Message &message);

  DiagnosticEngine &engine;
  DiagnosticEngine::HandlerID handler;
  PlaceTable &places;
  unsigned phase = 0;
  std::vector<Message> messages;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_HTML_MESSAGELOG_H
