//===- RegisterMatching.h - Registers with equal elements -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the register that holds a required element, for two layouts in which
// each thread has its elements in its own registers.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_REGISTERMATCHING_H
#define TESSERA_LAYOUT_REGISTERMATCHING_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// For each register of `result`, returns the register of `source` in the same
/// thread that holds the required element. `getSource` maps the element of the
/// result to the required one. Returns nothing if a thread does not hold it, or
/// if the register differs between threads.
std::optional<llvm::SmallVector<int64_t>>
matchRegisters(const Layout &source, const Layout &result,
               llvm::function_ref<Point(Point)> getSource);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_REGISTERMATCHING_H
