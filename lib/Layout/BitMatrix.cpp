//===- BitMatrix.cpp - Linear maps over F2 ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gaussian elimination over F2, column by column. Each column is a word of
// bits. A new column is reduced by the basis, from the highest bit down. A
// remainder becomes a row of the basis; a column that reduces to zero is a
// linear dependency, and joins the kernel.
//
// Invariant: the basis is sorted by highest bit, all different, and each row
// records the set of columns whose xor it is.
//
//===----------------------------------------------------------------------===//

#include "BitMatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace tessera::layout;

bool BitMatrix::addColumn(uint64_t column) {
  uint64_t columns = uint64_t(1) << numColumns++;
  for (const Row &row : basis)
    if (column & llvm::bit_floor(row.value)) {
      column ^= row.value;
      columns ^= row.columns;
    }
  if (!column) {
    kernel.push_back(columns);
    return false;
  }
  auto *position =
      llvm::find_if(basis, [&](const Row &row) { return row.value < column; });
  basis.insert(position, {column, columns});
  return true;
}

std::optional<uint64_t> BitMatrix::solve(uint64_t value) const {
  uint64_t columns = 0;
  for (const Row &row : basis)
    if (value & llvm::bit_floor(row.value)) {
      value ^= row.value;
      columns ^= row.columns;
    }
  if (value)
    return std::nullopt;
  return columns;
}
