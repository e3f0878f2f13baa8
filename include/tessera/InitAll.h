//===- InitAll.h - Registration of everything -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of everything that a tool needs to read, transform and write
// Tessera IR. This is the only place where new dialects, passes and pipelines
// are registered.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INITALL_H
#define TESSERA_INITALL_H

#include "tessera/Support/LLVM.h"

namespace tessera {

/// Registers the dialects of Tessera and those of MLIR on which they build.
/// Tools that emit PTX also call `ptx::registerEmissionDialects`.
void registerAllDialects(DialectRegistry &registry);

/// Registers the dialects of the last phase, for tools that read the output of
/// any phase.
void registerLoweredDialects(DialectRegistry &registry);

/// Registers the passes and pipelines of Tessera, and MLIR's general passes.
void registerAllPasses();

} // namespace tessera

#endif // TESSERA_INITALL_H
