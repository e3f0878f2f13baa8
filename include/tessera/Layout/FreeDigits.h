//===- FreeDigits.h - Copies of elements ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several places of a layout may hold one element. One of them is the first:
// where the digits that are free are 0.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_FREEDIGITS_H
#define TESSERA_LAYOUT_FREEDIGITS_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// The digits of a layout that reach no element which the digits before them do
/// not reach: the places that hold one element differ in these.
llvm::SmallVector<const Digit *> getFreeDigits(const Layout &layout);

/// The registers of a thread that hold an element which no lower one holds, in
/// ascending order.
llvm::SmallVector<int64_t> getHoldingRegisters(const Layout &layout);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_FREEDIGITS_H
