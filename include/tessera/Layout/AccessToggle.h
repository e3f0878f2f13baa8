//===- AccessToggle.h - Lanes that keep out of each other's way -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of an accumulator of 32-bit elements leave in pieces of 8 bytes, 32
// bytes by four lanes, and a swizzle of 16-byte chunks lets two of the rows
// that are written together meet in one place: chunks 2j and 2j+1 of row 0 are
// chunks 2j+1 and 2j of row 1. If the odd rows write j^2 where the even ones
// write j, all banks are busy once. That takes a select for each register and
// halves the wavefronts.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_ACCESSTOGGLE_H
#define TESSERA_LAYOUT_ACCESSTOGGLE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// In lanes whose number has `laneBit`, registers r and r ^ `registerBit`
/// change places.
struct AccessToggle {
  int64_t laneBit = 0, registerBit = 0;
  /// The registers after that.
  Layout layout;
};

/// What makes the accesses of `registers` to `shared` meet in fewer banks;
/// nothing if they do not meet, or one toggle does not help.
llvm::Expected<std::optional<AccessToggle>>
getAccessToggle(const Layout &registers, const Layout &shared,
                int64_t elementBytes);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_ACCESSTOGGLE_H
