//===- ProductAssignments.h - Units of products -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan of a tile.kernel, which depends on its products alone. It holds the
// number of warpgroups, the products on tensor cores, the places of their
// operands, and the loads that go to shared memory. The pass tile-plan-products
// writes the plan to the kernel as attributes, and the pass tile-to-sm reads
// it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_TILETOSM_PRODUCTASSIGNMENTS_H
#define TESSERA_CONVERSION_TILETOSM_PRODUCTASSIGNMENTS_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "tessera/Target/GpuTarget.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

/// An operand of a product: the tile before its transpositions.
struct OperandPlan {
  Value tile;
  bool transposed = false;
  /// Its type in shared memory; null if it comes from registers.
  SmemType shared;
  /// Whether the shared tile is a transposed copy that threads make: operands
  /// of other than 16 bits are read along K.
  bool copied = false;

  Type getElementType() const {
    return cast<RankedTensorType>(tile.getType()).getElementType();
  }
};

struct ProductPlan {
  /// Whether the product becomes sm.mma; otherwise sm.dot.
  bool onTensorCores = false;
  /// Whether operands of f32 are multiplied as TF32.
  bool isTF32 = false;
  int64_t m = 0, n = 0, k = 0;
  OperandPlan a, b;

  /// Returns the extents and the operands of `gemm`, both in shared memory with
  /// the widest swizzle. The unit is not decided.
  static ProductPlan get(tile::GemmOp gemm);

  /// Checks whether the product has fewer rows than an instruction, and repeats
  /// them.
  bool isRepeated(const GpuTarget &target) const {
    return onTensorCores && m < target.wgmmaM;
  }
};

/// The unit and the operands of each product of a kernel, and its warpgroups.
struct ProductAssignments {
  /// 1 also for fewer warps, and for 16. Then no product is on tensor cores.
  int64_t warpgroups = 1;
  /// Number of warps that compute.
  int64_t warps = 0;
  llvm::MapVector<Operation *, ProductPlan> products;
  /// Loads whose tile is an operand of a product, with the type of that tile in
  /// shared memory.
  llvm::MapVector<Operation *, SmemType> fetches;
  /// Whether the rows of some product repeat.
  bool repeatsRows = false;
  /// Whether warpgroups share the columns of some product.
  bool splitsColumns = false;

  /// Checks whether the warps are `warpgroups`, which tensor cores need.
  bool hasWarpgroups(const GpuTarget &target) const {
    return warps == warpgroups * target.warpsPerWarpgroup;
  }
  /// Checks whether a product on tensor cores has at least the rows of an
  /// instruction.
  bool hasWholeProduct(const GpuTarget &target) const;

  /// Reads the attributes of `kernel` and its products. Fails, with a
  /// diagnostic at the product, if a product cannot be computed so.
  static FailureOr<ProductAssignments> read(tile::KernelOp kernel);
};

/// Checks whether the products of `kernel` are planned.
bool hasProductPlan(tile::KernelOp kernel);

/// Returns the numbers of warps that may compute `kernel`: "sm.warps" of its
/// plan or `warps` of its schedule. Without them, returns those of one to three
/// warpgroups.
SmallVector<int64_t> getPossibleWarps(tile::KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_CONVERSION_TILETOSM_PRODUCTASSIGNMENTS_H
