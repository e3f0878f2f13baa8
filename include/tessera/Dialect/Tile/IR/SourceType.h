//===- SourceType.h - Types in the words of the source ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages name types as the source does: `int`, not `index`. For types of host
// arrays, `array::getSourceName` does the same.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_SOURCETYPE_H
#define TESSERA_DIALECT_TILE_IR_SOURCETYPE_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Types.h"

namespace tessera::tile {

/// The language's spelling of a scalar or tile type: "int", "f32[128, 64]".
std::string printType(Type type);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_SOURCETYPE_H
