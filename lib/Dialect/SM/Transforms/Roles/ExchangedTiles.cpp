//===- ExchangedTiles.cpp - Tiles that warpgroups exchange ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangedTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the last user of the tile of `smemStore`, if all users are of kind
/// `OpTy` and in its block; null with a reason if they are not.
template <typename OpTy>
static Operation *findLast(SmemStoreOp smemStore, StringRef kind,
                           std::string &why) {
  Operation *last = nullptr;
  for (Operation *user : smemStore->getUsers()) {
    if (!isa<OpTy>(user) || user->getBlock() != smemStore->getBlock()) {
      why = ("others than " + kind + " of its block take it").str();
      return nullptr;
    }
    if (!last || last->isBeforeInBlock(user))
      last = user;
  }
  if (!last)
    why = "nothing takes it";
  return last;
}

Operation *sm::findLastProduct(SmemStoreOp smemStore, std::string &why) {
  if (isa<scf::ForOp>(smemStore->getParentOp()))
    return findLast<MmaOp>(smemStore, "products", why);
  why = "no loop writes it";
  return nullptr;
}

Operation *sm::findLastUse(SmemStoreOp smemStore, std::string &why) {
  return smemStore.getType().getRank() == 1
             ? findLast<SmemLoadOp>(smemStore, "reads", why)
             : findLastProduct(smemStore, why);
}
