//===- Layouts.h - Layouts that the operations prescribe --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The relations between layouts of operands and results: builders, verifiers
// and the assignment of layouts ask here.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_LAYOUTS_H
#define TESSERA_DIALECT_SM_IR_LAYOUTS_H

#include "tessera/Layout/Layout.h"
#include <optional>

namespace tessera::sm {

/// Of the result of `sm.reduce`: with `keep`, terms along `axis` below `keep`
/// stay, and those above are combined. Fails where a thread's elements do not
/// repeat every `keep`.
llvm::Expected<layout::Layout> getReduceLayout(const layout::Layout &source,
                                               unsigned axis,
                                               std::optional<int64_t> keep);

/// Of a tile whose extents of 1 are repeated to `shape`; refused where a thread
/// would have to ask another one. `result` is the layout that is wanted.
bool isBroadcastLocal(const layout::Layout &source,
                      const layout::Layout &result);

/// Returns the layout that a tile must have so that broadcasting it to `result`
/// is local: `result` with the dimensions of extent 1 in `sourceShape`
/// collapsed.
llvm::Expected<layout::Layout>
getBroadcastSource(const layout::Layout &result,
                   llvm::ArrayRef<int64_t> sourceShape);

/// Returns the layout of the positions that the first dimension of a tile of
/// `shape` gathers, for a fetch by `warps` warps. Each thread holds the
/// positions of the pieces of 16 bytes that it copies, register by register in
/// the order in which it copies them. Fails if threads would not share the
/// pieces evenly.
llvm::Expected<layout::Layout> getPositionLayout(llvm::ArrayRef<int64_t> shape,
                                                 int64_t elementBytes,
                                                 int64_t warps);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_LAYOUTS_H
