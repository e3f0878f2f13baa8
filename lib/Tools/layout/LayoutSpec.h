//===- LayoutSpec.h - Layouts on a command line -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   64x176 = register[…] …             any layout
//   wgmma-acc 64x176 [WARPGROUPS]      the accumulator of a product
//   wgmma-a 64x64xbf16 [WARPGROUPS]    its A operand in registers
//   blocked 64x96xbf16 [WARPS]         16-byte vectors along rows
//   swizzle 128x64xbf16 128B           a tile as TMA writes it
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LAYOUT_LAYOUTSPEC_H
#define TESSERA_LIB_TOOLS_LAYOUT_LAYOUTSPEC_H

#include "tessera/Layout/Layout.h"

namespace tessera::tools {

struct LayoutSpec {
  layout::Layout layout;
  /// Bytes of an element; 0 if the text does not tell.
  int64_t elementBytes = 0;

  static llvm::Expected<LayoutSpec> parse(llvm::StringRef text);
};

/// Returns the size of an element type by its name, or 0.
int64_t getElementBytes(llvm::StringRef type);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LAYOUT_LAYOUTSPEC_H
