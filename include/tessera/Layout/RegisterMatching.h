//===- RegisterMatching.h - Registers that hold the same --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where two layouts agree so far that every thread finds what it needs among
// its own registers: which register is it?
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_REGISTERMATCHING_H
#define TESSERA_LAYOUT_REGISTERMATCHING_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

/// For each register of `result`, the register of `source`, in the same thread,
/// that holds the element `getSource` names for the register's element; nothing
/// if some thread does not hold it, or if the register differs from thread to
/// thread.
std::optional<llvm::SmallVector<int64_t>>
matchRegisters(const Layout &source, const Layout &result,
               llvm::function_ref<Point(Point)> getSource);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_REGISTERMATCHING_H
