//===- ProductOps.h - Products of a warpgroup -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PRODUCTS_PRODUCTOPS_H
#define TESSERA_LIB_EMULATOR_PRODUCTS_PRODUCTOPS_H

#include "Machine/Cluster.h"

namespace tessera::emu {

/// A decoded wgmma.mma_async.
struct ProductOp {
  ProductForm form;
  ProductImmediates immediates;
  SmallVector<Slot, 128> d;
  /// Registers of A, if it is in registers.
  SmallVector<Slot, 4> aRegisters;
  Slot a = 0, b = 0, scaleD = 0;
  bool negatesScaleD = false;
};

/// Warps of a warpgroup.
inline constexpr unsigned kGroupWarps = 4;

inline TensorCores &getCores(Warp &warp) {
  return warp.getCta().cores[warp.getNumber() / kGroupWarps];
}

/// Issues a product for a warp. Checks its operands, and that the other warps
/// of its warpgroup issue the same product.
Outcome issue(Warp &warp, const ProductOp &op);

/// Computes a product that all warps have issued.
void multiply(Product &product, Cta &cta);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_PRODUCTS_PRODUCTOPS_H
