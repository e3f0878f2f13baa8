//===- Exponentials.cpp - Operands of exponentials --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Breadth-first search over the uses of a value, through branches. Each value
// is visited once. Values that loops carry are not followed.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Exponentials.h"

#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::tile;

static bool isUniform(Value value) {
  return isa<FloatType>(value.getType()) ||
         isa_and_present<tensor::SplatOp, arith::ConstantOp>(
             value.getDefiningOp());
}

bool tile::feedsExponential(Value value) {
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t next = 0; next < reached.size(); ++next)
    for (OpOperand &use : reached[next].getUses()) {
      Operation *user = use.getOwner();
      if (isa<math::ExpOp, math::Exp2Op>(user))
        return true;
      if (isa<scf::YieldOp>(user) && isa<scf::IfOp>(user->getParentOp()))
        reached.insert(user->getParentOp()->getResult(use.getOperandNumber()));
      bool isScaling = isa<arith::MulFOp>(user) &&
                       llvm::any_of(user->getOperands(), isUniform);
      if (isScaling ||
          isa<arith::AddFOp, arith::SubFOp, arith::SelectOp, math::FmaOp>(user))
        reached.insert(user->getResult(0));
    }
  return false;
}
