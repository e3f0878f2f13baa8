//===- Format.h - The layout of .tile sources -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites the white space of a source file and nothing else. docs/editor.md
// describes the layout.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_FORMAT_H
#define TESSERA_FRONTEND_FORMAT_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/MLIRContext.h"
#include <optional>
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tessera::frontend {

/// Returns the main buffer of `sourceMgr` with a new layout. Errors of syntax
/// are diagnostics of `context`; then there is no result. Names may be unknown.
std::optional<std::string> formatTile(llvm::SourceMgr &sourceMgr,
                                      MLIRContext *context);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_FORMAT_H
