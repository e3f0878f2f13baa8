//===- ComputedRings.cpp - Rings that computing roles fill ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedRings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the last user of the tile of `smemStore`, if all users are of kind
/// `OpTy` and in its block.
template <typename OpTy>
static OrReason<Operation *> findLast(SmemStoreOp smemStore, StringRef kind) {
  Operation *last = nullptr;
  for (Operation *user : smemStore->getUsers()) {
    if (!isa<OpTy>(user) || user->getBlock() != smemStore->getBlock())
      return "others than " + kind + " of its block take it";
    if (!last || last->isBeforeInBlock(user))
      last = user;
  }
  if (!last)
    return "nothing takes it";
  return last;
}

OrReason<Operation *> sm::findLastProduct(SmemStoreOp smemStore) {
  if (isa<scf::ForOp>(smemStore->getParentOp()))
    return findLast<MmaOp>(smemStore, "products");
  return "no loop writes it";
}

OrReason<Operation *> sm::findLastUse(SmemStoreOp smemStore) {
  return smemStore.getType().getRank() == 1
             ? findLast<SmemLoadOp>(smemStore, "reads")
             : findLastProduct(smemStore);
}
