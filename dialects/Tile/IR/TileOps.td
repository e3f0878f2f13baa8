//===- TileOps.td - Umbrella of the tile dialect -----------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILEOPS
#define TESSERA_DIALECTS_TILE_IR_TILEOPS

include "dialects/Tile/IR/TileDialect.td"
include "dialects/Tile/IR/TileEnums.td"
include "dialects/Tile/IR/TileAttrs.td"
include "dialects/Tile/IR/TileTypes.td"
include "dialects/Tile/IR/TileKernelOps.td"
include "dialects/Tile/IR/TileMemoryOps.td"
include "dialects/Tile/IR/TileComputeOps.td"
include "dialects/Tile/IR/TileCombineOps.td"
include "dialects/Tile/IR/TileDebugOps.td"

#endif // TESSERA_DIALECTS_TILE_IR_TILEOPS
