//===- UnmetSchedule.cpp - Entries of a schedule left undone ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/UnmetSchedule.h"

#include "mlir/IR/Operation.h"

using namespace tessera;

void tile::warnOfUnmet(Operation *kernel, const Twine &entry,
                       const Twine &instead, const Twine &why,
                       const Twine &change, StringRef name) {
  InFlightDiagnostic diagnostic = kernel->emitWarning();
  diagnostic << "`" << entry << "` is not done, " << instead << ": " << why
             << " [" << name << "]";
  diagnostic.attachNote() << change;
}
