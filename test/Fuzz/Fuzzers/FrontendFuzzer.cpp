//===- FrontendFuzzer.cpp - Any text through the front end ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For any bytes the front end returns a valid module or reports diagnostics.
// The front end verifies its output, so an invalid module counts as a crash.
// The fuzzer also runs the functions of editors: every text has an outline, and
// formatting a formatted text changes nothing.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Format.h"
#include "tessera/Frontend/Frontend.h"
#include "tessera/Frontend/Outline.h"
#include "tessera/InitAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <cstdint>

using namespace tessera;

/// Formats a text; none if it cannot be read.
static std::optional<std::string> format(StringRef text, MLIRContext *context) {
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "fuzz.tile"), llvm::SMLoc());
  return frontend::formatTile(sourceMgr, context);
}

static void checkEditing(StringRef text, MLIRContext *context) {
  frontend::Outline outline(text);
  for (const frontend::OutlineName &name : outline.getNames())
    if (text.substr(name.offset, name.name.size()) != name.name ||
        name.begin > name.end)
      __builtin_trap();
  std::optional<std::string> formatted = format(text, context);
  if (formatted && format(*formatted, context) != formatted)
    __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Sizes, strings and types are uniqued in the context: a fresh one per input
  // keeps the memory of a long run bounded and each input reproducible.
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  bool hasErrors = false;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    hasErrors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    // Verifiers begin with the name of an op in quotes, the front end never
    // does: it has generated what does not verify.
    if (StringRef(diagnostic.str()).starts_with("'"))
      __builtin_trap();
  });

  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(
          StringRef(reinterpret_cast<const char *>(data), size), "fuzz.tile"),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      frontend::compileTile(sourceMgr, &context, frontend::CompileOptions());
  bool consistent =
      module ? !hasErrors && succeeded(verify(*module)) : hasErrors;
  if (!consistent)
    __builtin_trap();
  checkEditing(StringRef(reinterpret_cast<const char *>(data), size), &context);
  return 0;
}
