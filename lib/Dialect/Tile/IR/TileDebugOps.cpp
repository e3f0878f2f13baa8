//===- TileDebugOps.cpp - Checks and prints at run time ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of operations for debugging.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/TypeUtilities.h"

using namespace tessera;
using namespace tessera::tile;

LogicalResult CheckOp::verify() {
  // C1
  if (!getElementTypeOrSelf(getCondition().getType()).isInteger(1))
    return emitOpError() << "expected a condition of i1, got "
                         << getCondition().getType();
  return success();
}

LogicalResult PrintOp::verify() {
  // C1
  if (getIsUnsigned().size() != getValues().size())
    return emitOpError() << "expected one entry of 'unsigned' for each of "
                         << getValues().size() << " values, got "
                         << getIsUnsigned().size();
  return success();
}
