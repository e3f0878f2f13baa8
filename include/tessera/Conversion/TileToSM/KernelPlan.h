//===- KernelPlan.h - Which unit computes a product -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first decisions about a tile.kernel, from its products alone: how many
// warpgroups execute it, which products run on tensor cores, where their
// operands lie, and which loads go to shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_TILETOSM_KERNELPLAN_H
#define TESSERA_CONVERSION_TILETOSM_KERNELPLAN_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "tessera/Target/GpuTarget.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

/// An operand of a product: the tile before its transpositions.
struct OperandPlan {
  Value tile;
  bool transposed = false;
  /// What it is in shared memory, or null: it comes from registers.
  SmemType shared;
  /// Whether that is a transposed copy of it, made by threads: 8-bit operands
  /// are read along K.
  bool copied = false;
};

struct ProductPlan {
  /// sm.mma, else sm.dot.
  bool onTensorCores = false;
  /// Why not on tensor cores.
  std::string reason;
  int64_t m = 0, n = 0, k = 0;
  OperandPlan a, b;

  /// Whether the rows are fewer than those of an instruction, and repeat.
  bool isRepeated(const GpuTarget &target) const {
    return onTensorCores && m < target.wgmmaM;
  }
};

struct KernelPlan {
  int64_t warpgroups = 1;
  /// Of all of them.
  int64_t warps = 0;
  /// The product for which there are fewer than the schedule asks for, or null.
  Operation *indivisible = nullptr;
  llvm::MapVector<Operation *, ProductPlan> products;
  /// Loads whose tile is an operand of a product, and what it is in shared
  /// memory.
  llvm::MapVector<Operation *, SmemType> fetches;
  /// Whether the rows of some product repeat.
  bool repeatsRows = false;
  /// Whether warpgroups share the columns of some product.
  bool splitsColumns = false;

  static KernelPlan get(tile::KernelOp kernel);
};

} // namespace tessera::sm

#endif // TESSERA_CONVERSION_TILETOSM_KERNELPLAN_H
