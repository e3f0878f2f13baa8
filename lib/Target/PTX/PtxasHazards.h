//===- PtxasHazards.h - What ptxas gives up silently ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas compiles some code correctly but several times slower than it was
// meant, and says so in a line of information: it serialises wgmma
// instructions, ignores `setmaxnreg`, inserts waits. The table here knows these
// lines by their text, because their numbers (C7508 to C7520) change between
// releases.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_PTXASHAZARDS_H
#define TESSERA_TARGET_PTX_PTXASHAZARDS_H

#include "tessera/Target/PTX/Ptxas.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::ptx {

struct PtxasHazard {
  /// A piece of the message that tells it from the others.
  llvm::StringLiteral text;
  /// Its number in ptxas 13.0; empty where it was not seen.
  llvm::StringLiteral code;
  HazardEffect effect;
  /// What to change in the code, as a phrase.
  llvm::StringLiteral remedy;
  /// Whether there are too few registers.
  bool isOfRegisters = false;
};

llvm::ArrayRef<PtxasHazard> getPtxasHazards();

/// The row for a message, or null.
const PtxasHazard *findPtxasHazard(llvm::StringRef message);

/// Whether a message is a hazard: it has a row, or a number C75xx, or speaks
/// of a performance loss.
bool isPtxasHazard(llvm::StringRef code, llvm::StringRef message);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_PTXASHAZARDS_H
