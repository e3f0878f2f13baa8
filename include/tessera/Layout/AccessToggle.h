//===- AccessToggle.h - Toggled lanes against bank conflicts ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An accumulator of 32-bit elements is written in pieces of 8 bytes, 32 bytes
// by four lanes. With a swizzle of 16-byte chunks, two rows that are written
// together may use the same banks. For example, chunks 2j and 2j+1 of row 0
// have the banks of chunks 2j+1 and 2j of row 1. If the odd rows write register
// pair j^2 when the even rows write j, each bank is used once. This needs a
// select for each register, and halves the wavefronts.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_ACCESSTOGGLE_H
#define TESSERA_LAYOUT_ACCESSTOGGLE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// Registers r and r ^ `registerBit` are exchanged in lanes whose number has
/// `laneBit`.
struct AccessToggle {
  int64_t laneBit = 0, registerBit = 0;
  /// The layout of the registers after the exchange.
  Layout layout;
};

/// Returns the toggle with the fewest bank conflicts between `registers` and
/// `shared`. Returns nothing if there are no conflicts, or no single toggle
/// reduces them.
llvm::Expected<std::optional<AccessToggle>>
getAccessToggle(const Layout &registers, const Layout &shared,
                int64_t elementBytes);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_ACCESSTOGGLE_H
