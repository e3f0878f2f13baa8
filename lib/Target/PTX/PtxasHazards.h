//===- PtxasHazards.h - Silent performance losses ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas compiles some code correctly but several times slower than intended,
// and reports that only in an informational line: it serialises wgmma
// instructions, ignores `setmaxnreg`, or inserts waits. This table identifies
// such lines by their text, because their numbers (C7508 to C7520) change
// between releases.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_PTXASHAZARDS_H
#define TESSERA_TARGET_PTX_PTXASHAZARDS_H

#include "tessera/Target/PTX/Ptxas.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::ptx {

struct PtxasHazard {
  /// A substring that identifies the message.
  llvm::StringLiteral text;
  /// Its number in ptxas 13.0; empty if it was not observed.
  llvm::StringLiteral code;
  HazardEffect effect;
  /// The change of the code that avoids the hazard, as a phrase.
  llvm::StringLiteral remedy;
  /// Whether the reason is a lack of registers.
  bool isOfRegisters = false;
};

llvm::ArrayRef<PtxasHazard> getPtxasHazards();

/// Returns the row for a message, or null.
const PtxasHazard *findPtxasHazard(llvm::StringRef message);

/// Checks whether a message is a hazard: it has a row or a number C75xx, or
/// mentions a performance loss.
bool isPtxasHazard(llvm::StringRef code, llvm::StringRef message);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_PTXASHAZARDS_H
