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

#include "RoleSlice.h"

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Support/Reason.h"

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

/// Returns the op that waits for what `read` reads; or why no other role can do
/// that as well.
OrReason<RingWaitOp> findWait(SmemLoadOp read);

/// Returns how `warps` warps compute the tile that `smemStore` writes; or why
/// they cannot. They compute element by element from constants, from tiles and
/// repeated rows that its block reads, and from loads of read-only tensors.
OrReason<TransformedOperand> matchTransformedOperand(SmemStoreOp smemStore,
                                                     int64_t warps);

/// Adds `op`, which computes part of a tile, and the scalars that it takes to
/// `slice`; or returns why the role cannot compute these.
Reason addWithScalars(RoleSlice &slice, Operation *op);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_TRANSFORMEDOPERANDS_H
