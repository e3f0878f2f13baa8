//===- LayoutPicture.h - A layout as a picture ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LAYOUT_LAYOUTPICTURE_H
#define TESSERA_LIB_TOOLS_LAYOUT_LAYOUTPICTURE_H

#include "tessera/Layout/Layout.h"

namespace tessera::tools {

/// Draws the place of each element as SVG: the text of the table, in the hue of
/// its warp and the shade of its lane. The matrices of a tile of more than two
/// dimensions are below each other.
void printLayoutPicture(const layout::Layout &layout, llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LAYOUT_LAYOUTPICTURE_H
