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

Operation *sm::findLastProduct(StageOp stage, std::string &why) {
  if (!isa<scf::ForOp>(stage->getParentOp())) {
    why = "no loop writes it";
    return nullptr;
  }
  Operation *last = nullptr;
  for (Operation *user : stage->getUsers()) {
    if (!isa<MmaOp>(user) || user->getBlock() != stage->getBlock()) {
      why = "others than products of its block take it";
      return nullptr;
    }
    if (!last || last->isBeforeInBlock(user))
      last = user;
  }
  if (!last)
    why = "nothing takes it";
  return last;
}
