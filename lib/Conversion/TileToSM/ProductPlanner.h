//===- ProductPlanner.h - Choice of unit for a product ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTPLANNER_H
#define TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTPLANNER_H

#include "tessera/Conversion/TileToSM/ProductAssignments.h"

namespace tessera::sm {

/// Assigns the products of a kernel to tensor cores and warpgroups, and keeps
/// the obstacles.
struct ProductPlanner {
  ProductAssignments assigned;
  /// For each product that is not on tensor cores, the reason.
  llvm::MapVector<Operation *, std::string> reasons;
  /// Products of f32 that tensor cores could compute in TF32.
  llvm::SmallPtrSet<Operation *, 4> possibleAsTF32;
  /// Products in TF32 that threads compute, of truncated operands.
  llvm::SmallPtrSet<Operation *, 4> truncated;
  /// The product that limits the number of warpgroups to less than that of the
  /// schedule, or null.
  Operation *indivisible = nullptr;

  explicit ProductPlanner(tile::KernelOp kernel);

private:
  std::string planOperands(ProductPlan &product);
  void planUnit(tile::GemmOp gemm);
  void planWarpgroups(tile::KernelOp kernel);
  void shareColumns();
  bool isDivisible(const ProductPlan &product, int64_t warpgroups);
  /// Returns the first product that so many warpgroups cannot share, or null.
  Operation *findIndivisible(int64_t warpgroups);

  const GpuTarget &target;
};

/// Plans the products of `kernel`, which has no plan. Transposes products that
/// are cheaper as their transpose, and writes the plan to the kernel and to its
/// products. Warns of decisions that cost a factor; `remarks` reports the
/// others. Fails, with a diagnostic at the product, if the schedule asks for
/// warps that cannot use the tensor cores.
LogicalResult planProducts(tile::KernelOp kernel, bool remarks);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTPLANNER_H
