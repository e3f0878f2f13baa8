//===- PtxasDiagnostics.cpp - ptxas, as diagnostics -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One diagnostic per message.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/PTX/PtxasDiagnostics.h"

#include "tessera/Target/PTX/Ptxas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace tessera;
using namespace tessera::ptx;

FailureOr<PtxasProgram> ptx::findPtxas(ModuleOp module, StringRef given) {
  llvm::Expected<PtxasProgram> program = findPtxas(given);
  if (!program)
    return emitError(module.getLoc()) << llvm::toString(program.takeError());
  if (std::string defects = describeDefects(program->version);
      !defects.empty()) {
    InFlightDiagnostic diagnostic = emitWarning(module.getLoc());
    diagnostic << "'" << program->path << "' may make wrong code for sm_90a: ";
    if (!program->version.empty())
      diagnostic << "it is version " << program->version << ", and ";
    diagnostic << defects;
    diagnostic.attachNote() << getPtxasAdvice();
  }
  return *program;
}

static void report(ModuleOp module, const PtxasMessage &message) {
  Location loc = module.getLoc();
  if (auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(message.kernel))
    loc = kernel.getLoc();
  if (const PtxasMessage::Place &place = message.place; place.line)
    loc = FileLineColLoc::get(module.getContext(), place.file, place.line,
                              place.column);
  InFlightDiagnostic diagnostic = emitError(loc);
  diagnostic << "ptxas: " << message.text;
  if (!message.code.empty())
    diagnostic << " (" << message.code << ")";
  if (message.line)
    diagnostic.attachNote()
        << "at line " << message.line << " of the PTX text: " << message.source;
  if (!message.remedy.empty())
    diagnostic.attachNote() << message.remedy;
}

void ptx::reportPtxasError(ModuleOp module, llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const PtxasError &ptxasError) {
        for (const PtxasMessage &message : ptxasError.getMessages())
          report(module, message);
      },
      [&](const llvm::ErrorInfoBase &other) {
        emitError(module.getLoc()) << other.message();
      });
}
