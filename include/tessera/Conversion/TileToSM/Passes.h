//===- Passes.h - From the tile dialect to the sm dialect -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes tile-plan-products and tile-to-sm. Passes.td states the
// requirements and guarantees of each pass. docs/passes shows examples.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_TILETOSM_PASSES_H
#define TESSERA_CONVERSION_TILETOSM_PASSES_H

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/Pass/Pass.h"

namespace tessera::sm {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/Conversion/TileToSM/Passes.h.inc"

} // namespace tessera::sm

#endif // TESSERA_CONVERSION_TILETOSM_PASSES_H
