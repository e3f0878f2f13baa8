//===- Facts.h - Properties of a layout -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_LAYOUT_FACTS_H
#define TESSERA_LIB_TOOLS_LAYOUT_FACTS_H

#include "tessera/Layout/Layout.h"

namespace tessera::tools {

/// Prints the properties of one layout. For a tile in shared memory whose
/// element size is known (not 0), also prints how wgmma and TMA access it.
void printFacts(const layout::Layout &layout, int64_t elementBytes,
                llvm::raw_ostream &os);

/// Prints the steps that convert a tile in registers from one layout to
/// another, or that copy it to or from shared memory.
llvm::Error printChange(const layout::Layout &from, const layout::Layout &to,
                        int64_t elementBytes, llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_LAYOUT_FACTS_H
