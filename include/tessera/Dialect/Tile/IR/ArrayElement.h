//===- ArrayElement.h - Element types of arrays -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_ARRAYELEMENT_H
#define TESSERA_DIALECT_TILE_IR_ARRAYELEMENT_H

#include "tessera/Array/ElementType.h"
#include "tessera/Support/LLVM.h"

#include "mlir/IR/Types.h"

namespace tessera::tile {

/// Returns the element type of arrays with elements of `type`; nothing for
/// other types, and for `index`, whose width depends on the device.
std::optional<array::ElementType> getArrayElement(Type type);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_ARRAYELEMENT_H
