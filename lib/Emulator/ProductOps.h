//===- ProductOps.h - Products of a warpgroup -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_PRODUCTOPS_H
#define TESSERA_LIB_EMULATOR_PRODUCTOPS_H

#include "Cluster.h"

namespace tessera::emu {

/// A decoded wgmma.mma_async.
struct ProductOp {
  ProductForm form;
  ProductImmediates immediates;
  SmallVector<Slot, 128> d;
  /// Registers of A, if it comes from there.
  SmallVector<Slot, 4> aRegisters;
  Slot a = 0, b = 0, scaleD = 0;
  bool negatesScaleD = false;
};

/// The effect of a product whose warps have all come.
void multiply(Product &product, Cta &cta);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_PRODUCTOPS_H
