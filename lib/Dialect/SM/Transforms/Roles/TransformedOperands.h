//===- TransformedOperands.h - Operands that a role computes ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transformed operands: tiles that products take from shared memory and that
// are computed from arriving ones, such as weights that are unpacked, converted
// or scaled. If that is done element by element, other warps can do it, in
// layouts of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TRANSFORMEDOPERANDS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TRANSFORMEDOPERANDS_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::sm {

struct TransformedOperand {
  /// The ops that compute the tile in its block, in program order and without
  /// constants, each with the layout of its result for the transforming warps.
  llvm::MapVector<Operation *, Attribute> layouts;
  Attribute layout;

  /// Of what arrives, what is read.
  SmallVector<SmemLoadOp> getReads() const;
  /// Returns the layout of operands of `op`, which is one of those above or the
  /// `sm.smem.store`.
  Attribute getOperandLayout(Operation *op) const;
  /// Checks whether an op of both has another layout in `other`: one role
  /// cannot compute the two.
  bool disagrees(const TransformedOperand &other) const;
};

/// Returns the op that waits for what `read` reads; null with a reason if no
/// other role can do that as well.
RingWaitOp findWait(SmemLoadOp read, std::string &why);

/// How `warps` warps compute what `smemStore` writes; fails with `why` if that
/// is more than arithmetic by elements on what is read in its block, or loaded
/// from tensors that nobody writes, on rows of it that are repeated, and on
/// constants.
FailureOr<TransformedOperand>
matchTransformedOperand(SmemStoreOp smemStore, int64_t warps, std::string &why);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TRANSFORMEDOPERANDS_H
