//===- ProductAssignments.h - Units of products -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first decisions about a tile.kernel, from its products alone: how many
// warpgroups execute it, which products run on tensor cores, where their
// operands lie, and which loads go to shared memory. tile-plan-products takes
// them and writes them to the kernel; tile-to-sm reads them there.
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
  /// Whether that is a transposed copy of it, made by threads: 8-bit operands
  /// are read along K.
  bool copied = false;

  Type getElementType() const {
    return cast<RankedTensorType>(tile.getType()).getElementType();
  }
};

struct ProductPlan {
  /// sm.mma, else sm.dot.
  bool onTensorCores = false;
  int64_t m = 0, n = 0, k = 0;
  OperandPlan a, b;

  /// The extents and the operands of `gemm`, both in shared memory with the
  /// widest swizzle; on no unit yet.
  static ProductPlan get(tile::GemmOp gemm);

  /// Whether the rows are fewer than those of an instruction, and repeat.
  bool isRepeated(const GpuTarget &target) const {
    return onTensorCores && m < target.wgmmaM;
  }
};

/// The unit and the operands of each product of a kernel, and its warpgroups.
struct ProductAssignments {
  int64_t warpgroups = 1;
  /// Of all of them.
  int64_t warps = 0;
  llvm::MapVector<Operation *, ProductPlan> products;
  /// Loads whose tile is an operand of a product, and what it is in shared
  /// memory.
  llvm::MapVector<Operation *, SmemType> fetches;
  /// Whether the rows of some product repeat.
  bool repeatsRows = false;
  /// Whether warpgroups share the columns of some product.
  bool splitsColumns = false;

  /// Whether a product on tensor cores has at least the rows of an instruction.
  bool hasWholeProduct(const GpuTarget &target) const;

  /// Reads the attributes of `kernel` and its products. Fails, with a
  /// diagnostic at the product, if a product cannot be computed so.
  static FailureOr<ProductAssignments> read(tile::KernelOp kernel);
};

} // namespace tessera::sm

#endif // TESSERA_CONVERSION_TILETOSM_PRODUCTASSIGNMENTS_H
