//===- Tile.h - The tile dialect --------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one public header of the dialect; it alone includes the generated files.
// What the dialect means stands in dialects/Tile/README.md and in the ODS files
// beside it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_TILE_H
#define TESSERA_DIALECT_TILE_IR_TILE_H

#include "tessera/Support/LLVM.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Tile/IR/TileDialect.h.inc"
#include "dialects/Tile/IR/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.h.inc"

namespace tessera::tile {

/// Most elements that one tile may have. A tile lives on one SM; the bound is
/// far above what any kernel can hold and keeps mistakes from exhausting the
/// compiler's memory.
constexpr int64_t kMaxTileElements = int64_t(1) << 24;

/// The discardable attribute by which a kernel keeps `exp` and `log` as
/// written.
constexpr llvm::StringLiteral kNoFoldExp2AttrName = "tile.no_fold_exp2";

/// The one by which it rounds products before they are added.
constexpr llvm::StringLiteral kNoContractAttrName = "tile.no_contract";

/// On an `scf.for`: the number of iterations that it has at most, an integer
/// of at least 1. Where it is 1, no later iteration can be prepared.
constexpr llvm::StringLiteral kMaxTripCountAttrName = "tile.max_trip_count";

/// Whether `type` is an element type of tiles and global tensors: f32, f16,
/// bf16, f8E4M3FN, f8E5M2, i1, i8, i32 or i64.
bool isElementType(Type type);

/// Checks the extents of a tile: each at least 1, kMaxTileElements in all.
LogicalResult verifyTileShape(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_TILE_H
