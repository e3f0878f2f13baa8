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

/// Returns the last user of the tile of `stage`, if all users are of kind
/// `OpTy` and in its block; null with a reason if they are not.
template <typename OpTy>
static Operation *findLast(StageOp stage, StringRef kind, std::string &why) {
  Operation *last = nullptr;
  for (Operation *user : stage->getUsers()) {
    if (!isa<OpTy>(user) || user->getBlock() != stage->getBlock()) {
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

Operation *sm::findLastProduct(StageOp stage, std::string &why) {
  if (isa<scf::ForOp>(stage->getParentOp()))
    return findLast<MmaOp>(stage, "products", why);
  why = "no loop writes it";
  return nullptr;
}

Operation *sm::findLastUse(StageOp stage, std::string &why) {
  return stage.getType().getRank() == 1 ? findLast<ReadOp>(stage, "reads", why)
                                        : findLastProduct(stage, why);
}
