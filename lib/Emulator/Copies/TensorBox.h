//===- TensorBox.h - The box of a tensor copy -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_COPIES_TENSORBOX_H
#define TESSERA_LIB_EMULATOR_COPIES_TENSORBOX_H

#include "Machine/Decoder.h"
#include "Memory/Memory.h"

#include "tessera/Emulator/TensorMap.h"

namespace tessera::emu {

/// The box of a tensor copy with known operands.
struct TensorBox {
  TensorMap map;
  SmallVector<int32_t, 5> coordinates;
  uint32_t shared = 0;

  template <typename Visit>
  void visit(Visit visitPiece) const {
    visitTensorCopy(map, coordinates, shared, visitPiece);
  }
};

/// The operands of an instruction.
struct TensorCopyOperands {
  unsigned rank = 0;
  Decoder::Place map, shared, barrier;
  SmallVector<Slot, 5> coordinates;
  std::optional<Slot> mask;
};

/// Returns the box of a thread and its location in shared memory. Reports
/// defects of the map or the location.
Outcome getBox(Warp &warp, const TensorCopyOperands &operands, unsigned lane,
               TensorBox &box, Located &shared);

} // namespace tessera::emu

#endif // TESSERA_LIB_EMULATOR_COPIES_TENSORBOX_H
