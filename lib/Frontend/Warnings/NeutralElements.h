//===- NeutralElements.h - Elements that change no result -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks whether a combiner ignores elements with known values.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_NEUTRALELEMENTS_H
#define TESSERA_FRONTEND_NEUTRALELEMENTS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::frontend {

/// One of the scalars that represent the elements past the end.
struct TrailingElement {
  /// Null if unknown.
  Attribute value;
  /// No other element of the source is less.
  bool isLeast = false;
};

/// Checks whether `op`, a reduction or a scan with a region, may yield another
/// result because of `trailing`, one for each source. Returns false if the
/// region cannot be folded.
bool mayChange(Operation *op, ArrayRef<TrailingElement> trailing);

/// Returns a value that changes no result of `op` where the sources with
/// `isPadded` have it past the end; null if there is no simple one.
Attribute findNeutralValue(Operation *op, ArrayRef<bool> isPadded);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_NEUTRALELEMENTS_H
