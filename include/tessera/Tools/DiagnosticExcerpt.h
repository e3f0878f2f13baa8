//===- DiagnosticExcerpt.h - Short lines in messages ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message quotes the line that it is about. A line may have a megabyte, and
// characters that a terminal obeys.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_DIAGNOSTICEXCERPT_H
#define TESSERA_TOOLS_DIAGNOSTICEXCERPT_H

#include "llvm/Support/SourceMgr.h"

namespace tessera::tools {

/// Lets messages about the buffers of `sourceMgr` go to standard error with no
/// more of a long line than is around the column, and without control
/// characters.
void printExcerpts(llvm::SourceMgr &sourceMgr);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_DIAGNOSTICEXCERPT_H
