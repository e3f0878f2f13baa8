//===- ProductShape.h - Shape of a product ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_PRODUCTSHAPE_H
#define TESSERA_DIALECT_SM_IR_PRODUCTSHAPE_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera {

/// Rows and columns of a product, and the length of its sums, for all
/// warpgroups together.
struct ProductShape {
  int64_t rows, columns, length;

  /// Returns the shape of `sm.mma`, `sm.mma.issue` or `sm.dot`.
  template <typename OpTy>
  static ProductShape get(OpTy op) {
    llvm::ArrayRef<int64_t> a = getShape(op.getA().getType());
    llvm::ArrayRef<int64_t> c = getShape(op.getAccumulator().getType());
    return {c[0], c[1], a[!op.getTransposeA()]};
  }

private:
  static llvm::ArrayRef<int64_t> getShape(mlir::Type type) {
    if (auto smem = llvm::dyn_cast<sm::SmemType>(type))
      return smem.getShape();
    if (auto pending = llvm::dyn_cast<sm::PendingType>(type))
      return pending.getTensor().getShape();
    return llvm::cast<mlir::RankedTensorType>(type).getShape();
  }
};

} // namespace tessera

#endif // TESSERA_DIALECT_SM_IR_PRODUCTSHAPE_H
