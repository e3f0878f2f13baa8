//===- InitAll.h - Registration of everything -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tool needs to read, transform and write Tessera IR. New dialects,
// passes and pipelines are registered here and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INITALL_H
#define TESSERA_INITALL_H

#include "tessera/Support/LLVM.h"

namespace tessera {

/// Registers our dialects and those of MLIR that they build on. Who emits PTX
/// also calls `ptx::registerEmissionDialects`.
void registerAllDialects(DialectRegistry &registry);

/// The dialects of the last phase, for tools that read any phase's output.
void registerLoweredDialects(DialectRegistry &registry);

/// Registers our passes and pipelines, and MLIR's general ones.
void registerAllPasses();

} // namespace tessera

#endif // TESSERA_INITALL_H
