//===- CostModel.cpp - Estimates that decisions rest on ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/CostModel.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::sm;

int64_t sm::getTileRegisters(RankedTensorType tile,
                             const layout::Layout &layout,
                             NarrowElements narrow) {
  int64_t bits = tile.getElementTypeBitWidth();
  if (bits <= 8)
    bits = narrow == NarrowElements::Whole ? 32 : 16;
  return llvm::divideCeil(bits * layout.getSize(layout::kRegister), 32);
}

int64_t sm::getTileRegisters(RankedTensorType tile) {
  return getTileRegisters(tile, getLayout(tile));
}
