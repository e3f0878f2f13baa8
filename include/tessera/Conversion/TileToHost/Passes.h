//===- Passes.h - From the tile dialect to host code ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-to-host, and the interface between the function that it makes
// and its caller.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_TILETOHOST_PASSES_H
#define TESSERA_CONVERSION_TILETOHOST_PASSES_H

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tessera::host {

/// A function that runs one program of a kernel:
///
///   (%arguments: !llvm.ptr, %state: !llvm.ptr, %arena: memref<?xi8>)
///
/// `arguments` is an array of 64-bit words. A tensor has its address, the
/// address of its marks of written elements (or null), its sizes, and its
/// strides. A scalar has its value. Then follow the values of `sizes`.
/// `state` has a word that a failed check sets to 1, and the number of steps
/// that remain. A word for kMeetGridName and the coordinates of the program
/// follow.
struct HostFunction {
  mlir::func::FuncOp function;
  /// Sizes of the grid, and then the other sizes.
  SmallVector<tile::SizeAttr> sizes;
  int64_t arenaBytes = 0;
  /// Whether programs must run one after the other, in ascending order, since
  /// they add to elements in memory.
  bool isOrdered = false;
  /// Whether programs wait for each other: they call kMeetGridName.
  bool meetsGrid = false;
};

constexpr unsigned kFailedWord = 0, kStepsWord = 1, kMemberWord = 2,
                   kCoordinatesWord = 3;

/// The function `(%state: !llvm.ptr)` that waits at a barrier of the grid. No
/// kernel can have its name.
constexpr llvm::StringLiteral kMeetGridName = "tile.meet_grid";

/// Lowers `kernel` to a function at the builder's place. Emits a remark at the
/// first operation without a lowering and fails; no function then remains.
FailureOr<HostFunction> lowerToHost(tile::KernelOp kernel, OpBuilder &builder,
                                    int64_t lanes);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/Conversion/TileToHost/Passes.h.inc"

} // namespace tessera::host

#endif // TESSERA_CONVERSION_TILETOHOST_PASSES_H
