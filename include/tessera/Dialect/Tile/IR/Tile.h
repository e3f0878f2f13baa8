//===- Tile.h - The tile dialect --------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only public header of the dialect. It alone includes the generated files.
// dialects/Tile/README.md and the ODS files in that folder define the dialect.
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

namespace tessera::tile {

/// The lines that a launch reports: failed checks and prints.
struct Reports : mlir::SideEffects::Resource::Base<Reports> {
  StringRef getName() override { return "reports"; }
};

/// The axes of a tile along which an index of an access extends.
struct IndexAxes {
  int64_t first = 0;
  /// The number of axes: 0 for a scalar, 1 for a range.
  int64_t rank = 0;

  bool contains(int64_t axis) const {
    return axis >= first && axis < first + rank;
  }
};

/// Returns the axes of each index. `given` lists the first axis of each index
/// that has any; without it, the axes of an index follow those before.
SmallVector<IndexAxes> getIndexAxes(ValueRange indices,
                                    std::optional<ArrayRef<int64_t>> given);

} // namespace tessera::tile

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.h.inc"

namespace tessera::tile {

/// Largest number of elements of a tile. A tile is held by one SM. The bound is
/// far above the capacity of an SM, and keeps mistakes from exhausting the
/// memory of the compiler.
constexpr int64_t kMaxTileElements = int64_t(1) << 24;

/// Discardable attribute of kernels that keep `exp` and `log` as written.
constexpr llvm::StringLiteral kNoFoldExp2AttrName = "tile.no_fold_exp2";

/// Discardable attribute of kernels that round products before they are added.
constexpr llvm::StringLiteral kNoContractAttrName = "tile.no_contract";

/// On an `scf.for`: its largest number of iterations, an integer of at least 1.
/// If the number is 1, there is no later iteration to prefetch for.
constexpr llvm::StringLiteral kMaxTripCountAttrName = "tile.max_trip_count";

/// Checks whether `type` is an element type of tiles and global tensors: f64,
/// f32, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i16, i32 or i64.
bool isElementType(Type type);

/// Returns `type`, with signless integers instead of unsigned ones.
Type withoutSign(Type type);

/// Checks that atomic operations of `kind` exist for elements of a type.
LogicalResult verifyAtomicElement(Operation *op, AtomicKind kind, Type element);

inline bool acquires(AtomicOrder order) {
  return order == AtomicOrder::Acquire || order == AtomicOrder::AcqRel;
}
inline bool releases(AtomicOrder order) {
  return order == AtomicOrder::Release || order == AtomicOrder::AcqRel;
}
/// Checks whether `op` may let its program wait for other programs: it acquires
/// what they release, or is a barrier of the grid.
bool waitsForPrograms(Operation *op);
/// Checks that an atomic operation that acquires has a result.
LogicalResult verifyAtomicOrder(Operation *op, AtomicOrder order,
                                bool hasResult);

/// Checks the extents of a tile: each at least 1, kMaxTileElements in all.
LogicalResult verifyTileShape(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<int64_t> shape);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_TILE_H
