//===- DiagnosticExcerpt.h - Short lines in messages ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Excerpts of long lines in messages. A message quotes its line. The line may
// have a megabyte, and characters that a terminal interprets.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_DIAGNOSTICEXCERPT_H
#define TESSERA_TOOLS_DIAGNOSTICEXCERPT_H

#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera::tools {

/// Prints messages about the buffers of `sourceMgr` to `os`, which must outlive
/// it. A long line is cut around the column, and control characters are
/// removed.
void printExcerpts(llvm::SourceMgr &sourceMgr,
                   llvm::raw_ostream &os = llvm::errs());

} // namespace tessera::tools

#endif // TESSERA_TOOLS_DIAGNOSTICEXCERPT_H
