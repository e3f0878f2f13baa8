//===- BitMatrix.h - Linear maps over F2 ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix over F2 of at most 64 columns of at most 64 bits each, eliminated
// once.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_BITMATRIX_H
#define TESSERA_LAYOUT_BITMATRIX_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tessera::layout {

class BitMatrix {
public:
  /// Appends a column. Returns whether it is independent of the columns before.
  bool addColumn(uint64_t column);

  unsigned getRank() const { return basis.size(); }

  /// Returns a set of columns, as a mask, whose xor is `value`.
  std::optional<uint64_t> solve(uint64_t value) const;

  /// Returns sets of columns whose xor is zero; they span all such sets.
  llvm::ArrayRef<uint64_t> getKernel() const { return kernel; }

private:
  struct Row {
    uint64_t value;   // its highest bit occurs in no later row
    uint64_t columns; // the columns whose xor it is
  };

  llvm::SmallVector<Row, 16> basis; // in descending order of highest bits
  llvm::SmallVector<uint64_t, 8> kernel;
  unsigned numColumns = 0;
};

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_BITMATRIX_H
