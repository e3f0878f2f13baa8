//===- Format.h - The layout of .tile sources -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites the white space of a source file and nothing else. What it makes of
// a file is described in docs/editor.md.
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

/// The main buffer of `sourceMgr`, laid out anew. Only what can be read is laid
/// out: errors of syntax are diagnostics of `context`, and then there is no
/// result. What names mean does not matter.
std::optional<std::string> formatTile(llvm::SourceMgr &sourceMgr,
                                      MLIRContext *context);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_FORMAT_H
