//===- Movement.h - Movement of a change of layout --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile changes from one register layout to another. The movement is the
// distance that elements travel, if each place takes its element from the
// nearest holder.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_MOVEMENT_H
#define TESSERA_LAYOUT_MOVEMENT_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// From nearest to farthest; each movement includes those before it.
enum class Movement {
  None,         // every register keeps its element; some may be dropped
  WithinThread, // registers are renamed or copied
  WithinWarp,   // shuffles
  WithinCta,    // through shared memory
  AcrossCtas,   // through distributed shared memory
};

/// "none", "within threads", …
llvm::StringRef getMovementName(Movement movement);

/// Returns the farthest movement that the change from `source` to `destination`
/// needs. Both are layouts of one tile over register, lane, warp and cta.
llvm::Expected<Movement> getMovement(const Layout &source,
                                     const Layout &destination);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_MOVEMENT_H
