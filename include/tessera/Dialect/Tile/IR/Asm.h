//===- Asm.h - Instructions of PTX on elements ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_ASM_H
#define TESSERA_DIALECT_TILE_IR_ASM_H

#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Emulator/ElementProgram.h"

namespace tessera::tile {

/// Returns the register type of an element in `tile.asm`; none for types that
/// it does not have.
std::optional<emu::Type> getRegisterType(Type element);

/// Parses the text of an op whose element types have register types. Returns
/// null and sets `error` if it is invalid.
std::unique_ptr<const emu::ElementProgram>
parseElementProgram(AsmOp op, emu::TextError &error);

/// Checks whether `op` computes elements by arithmetic: an op of `arith` or
/// `math`, or `tile.asm`.
bool isArithmetic(Operation *op);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_ASM_H
