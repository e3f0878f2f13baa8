//===- Table.h - Layouts as tables ------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_TABLE_H
#define TESSERA_LAYOUT_TABLE_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// Prints the place of each element. Rows and columns are the last two
/// dimensions. `r3l12w1` is register 3 of lane 12 of warp 1 (each axis by its
/// first letter), and `+3` means three further copies. Tiles of more dimensions
/// are printed matrix by matrix.
void printTable(const Layout &layout, llvm::raw_ostream &os);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_TABLE_H
