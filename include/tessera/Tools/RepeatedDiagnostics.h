//===- RepeatedDiagnostics.h - One place, one message -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass reports the same diagnostic for each part of a split loop. Phases run
// several times if schedules are tried or a file has several shapes. This
// handler drops diagnostics that were reported before, with the same text at
// the same place.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_REPEATEDDIAGNOSTICS_H
#define TESSERA_TOOLS_REPEATEDDIAGNOSTICS_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

namespace tessera::tools {

class RepeatedDiagnostics : public ScopedDiagnosticHandler {
public:
  enum class Kinds { All, Warnings };

  RepeatedDiagnostics(MLIRContext *context, Kinds kinds)
      : ScopedDiagnosticHandler(context) {
    setHandler([this, kinds](Diagnostic &diagnostic) {
      if (kinds == Kinds::Warnings &&
          diagnostic.getSeverity() != DiagnosticSeverity::Warning)
        return failure();
      std::string text;
      llvm::raw_string_ostream os(text);
      os << diagnostic.getLocation() << diagnostic;
      return success(!seen.insert(text).second);
    });
  }

private:
  llvm::StringSet<> seen;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_REPEATEDDIAGNOSTICS_H
