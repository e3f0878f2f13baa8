//===- KernelScopeValues.cpp - Values at kernel scope -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelScopeValues.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace tessera;
using namespace tessera::sm;

KernelScopeValues::KernelScopeValues(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        llvm::all_of(op.getResultTypes(),
                     [](Type type) { return type.isIntOrIndexOrFloat(); }) &&
        llvm::all_of(op.getOperands(), [&](Value operand) {
          Operation *definition = operand.getDefiningOp();
          return !definition || ops.contains(definition);
        }))
      ops.insert(&op);
}

bool KernelScopeValues::contains(Value value) const {
  if (Operation *definition = value.getDefiningOp())
    return ops.contains(definition);
  return isa<KernelOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
}
