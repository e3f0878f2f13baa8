//===- OptFuzzer.cpp - Parser, verifiers and passes -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes: parse, verify, run every phase. A pass that fails without
// an error, and one that leaves a module that does not verify, count as a
// crash.
//
//===----------------------------------------------------------------------===//

#include "tessera/InitAll.h"
#include "tessera/Pipelines/Phases.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cstdint>
#include <string>
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

using namespace tessera;

/// A dialect conversion that fails leaks the blocks that it takes back.
static LogicalResult runWithLeaks(PassManager &manager, ModuleOp module) {
#if __has_feature(address_sanitizer)
  __lsan::ScopedDisabler disabled;
#endif
  return manager.run(module);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  bool hasError = false;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  // MLIR's lexer reads the byte after the text.
  std::string text(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return 0;
  for (const Phase &phase : getPhases()) {
    PassManager manager(&context);
    // A pass may refuse what verifies, but not leave what does not.
    manager.enableVerifier(false);
    phase.addPasses(manager, PhaseOptions());
    hasError = false;
    bool isRefused =
        failed(phase.name == "nvvm" ? runWithLeaks(manager, *module)
                                    : manager.run(*module));
    if (isRefused ? !hasError : failed(verify(*module)))
      __builtin_trap();
    if (isRefused)
      break;
  }
  return 0;
}
