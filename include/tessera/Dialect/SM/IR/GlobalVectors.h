//===- GlobalVectors.h - Elements that are accessed together ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a thread accesses rows of a global tensor, as far as the types say. The
// lowering of loads and the analysis of register pressure ask the same
// functions.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_GLOBALVECTORS_H
#define TESSERA_DIALECT_SM_IR_GLOBALVECTORS_H

#include "tessera/Dialect/SM/IR/SM.h"

#include <optional>

namespace tessera::sm {

/// Returns the most elements of a row that a thread accesses together, a power
/// of two: those that its registers hold side by side, at most 16 bytes.
int64_t getGlobalVectorWidth(const layout::Layout &layout,
                             int64_t elementBytes);

/// Checks whether `registers` elements, in vectors of `width`, are loaded by
/// the two aligned chunks in which each vector lies, where that starts
/// anywhere.
bool isLoadedByChunks(int64_t registers, int64_t width, int64_t elementBytes);

/// How many vectors a thread loads so; 0 if it loads otherwise.
int64_t countVectorsOfChunks(LoadOp load);

/// Returns the distance of neighbours along a dimension of a dense tensor, in
/// elements, unless only the launch knows it. Dimension -1 means the whole
/// tensor.
std::optional<int64_t> getConstantStride(tile::GlobalType type, int64_t dim);

/// In how many rows the elements lie that a thread loads, if only the launch
/// knows how far those are apart; else 1.
int64_t countRowsApart(LoadOp load);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_GLOBALVECTORS_H
