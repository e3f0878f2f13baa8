//===- Passes.h - Passes on the tile dialect --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target-independent passes. Passes.td states the requirements and
// guarantees of each pass. docs/passes/ shows examples.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_TRANSFORMS_PASSES_H
#define TESSERA_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "tessera/Support/LLVM.h"

#include "mlir/Pass/Pass.h"

namespace tessera::tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_TRANSFORMS_PASSES_H
