//===- MessageLog.cpp - Messages of a compilation ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MessageLog.h"

using namespace tessera;
using namespace tessera::tools;

static StringRef getName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("unknown severity");
}

MessageLog::MessageLog(MLIRContext *context, PlaceTable &places,
                       bool hidesRemarks)
    : engine(context->getDiagEngine()), places(places) {
  // The newest handler is called first; failure passes a diagnostic to the next
  // one.
  handler =
      engine.registerHandler([this, hidesRemarks](Diagnostic &diagnostic) {
        messages.push_back(read(diagnostic));
        bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
        return success(isRemark && hidesRemarks);
      });
}

MessageLog::~MessageLog() { engine.eraseHandler(handler); }

MessageLog::Message MessageLog::read(Diagnostic &diagnostic) {
  Message message{getName(diagnostic.getSeverity()),
                  diagnostic.str(),
                  places.getNumbers(diagnostic.getLocation()),
                  phase,
                  {}};
  for (Diagnostic &note : diagnostic.getNotes())
    message.notes.push_back(read(note));
  return message;
}

void MessageLog::write(llvm::json::OStream &json, const Message &message) {
  json.object([&] {
    json.attribute("severity", message.severity);
    json.attribute("text", llvm::json::fixUTF8(message.text));
    json.attribute("phase", message.phase);
    json.attributeArray("places", [&] {
      for (unsigned place : message.places)
        json.value(place);
    });
    if (!message.notes.empty())
      json.attributeArray("notes", [&] {
        for (const Message &note : message.notes)
          write(json, note);
      });
  });
}

void MessageLog::write(llvm::json::OStream &json) const {
  json.array([&] {
    for (const Message &message : messages)
      write(json, message);
  });
}
