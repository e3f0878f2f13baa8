//===- UnsignedParams.h - Scalar parameters without a sign ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values in the IR have no sign. A launch needs the declared types of scalar
// parameters, since they bound the arguments. A discardable attribute of a
// kernel lists the parameters without a sign.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_UNSIGNEDPARAMS_H
#define TESSERA_DIALECT_TILE_IR_UNSIGNEDPARAMS_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Operation.h"

namespace tessera::tile {

/// The numbers of the parameters, in order.
constexpr llvm::StringLiteral kUnsignedParamsAttrName = "tile.unsigned_params";

/// Returns the declared type of the scalar parameter `index` of a kernel of
/// either dialect; `type` is its type in the IR.
Type getDeclaredScalarType(Operation *kernel, unsigned index, Type type);

/// Copies the attribute, if there is one.
void copyUnsignedParams(Operation *from, Operation *to);

/// Checks an attribute of this name.
LogicalResult verifyUnsignedParams(Operation *op, Attribute value);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_UNSIGNEDPARAMS_H
