//===- FreeDigits.h - Copies of elements ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several places of a layout may hold one element. They differ in the free
// digits; all free digits of the first place are 0.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_FREEDIGITS_H
#define TESSERA_LAYOUT_FREEDIGITS_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// Returns the free digits of a layout, which reach no new elements: the digits
/// before them reach the same ones. Places that hold one element differ only in
/// free digits.
llvm::SmallVector<const Digit *> getFreeDigits(const Layout &layout);

/// Returns the registers of a thread that hold an element which no lower
/// register holds, in ascending order.
llvm::SmallVector<int64_t> getHoldingRegisters(const Layout &layout);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_FREEDIGITS_H
