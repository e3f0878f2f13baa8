//===- SharedAccess.h - Accesses to tiles in shared memory ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of the threads of a register layout to a tile in shared memory:
// plain vector accesses, or stmatrix and ldmatrix. Counts the conflicts of the
// 32 banks of 4 bytes.
//
// Model: an access of a warp is served in phases of at most 128 bytes. A phase
// has all lanes for up to 4 bytes each, half a warp for 8, a quarter for 16,
// and one 8x8 matrix for stmatrix and ldmatrix. The wavefronts of a phase are
// the number of different words in its busiest bank; one is ideal.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_SHAREDACCESS_H
#define TESSERA_LAYOUT_SHAREDACCESS_H

#include "tessera/Layout/Layout.h"

namespace tessera::layout {

struct BankUse {
  int64_t phases = 0;     // wavefronts without any conflict
  int64_t wavefronts = 0; // with conflicts

  int64_t getConflicts() const { return wavefronts - phases; }
};

/// Returns the widest access in elements, at most 16 bytes: neighbouring
/// registers must hold elements that are adjacent and aligned in `shared`.
llvm::Expected<int64_t> getAccessWidth(const Layout &registers,
                                       const Layout &shared,
                                       int64_t elementBytes);

/// Returns the bank use of all accesses of all warps, `width` elements at a
/// time.
llvm::Expected<BankUse> getBankUse(const Layout &registers,
                                   const Layout &shared, int64_t elementBytes,
                                   int64_t width);

/// The use of stmatrix or ldmatrix for a whole tile of 16-bit elements.
/// Instruction i moves registers [2ci, 2ci + 2c) of each thread, packed in
/// pairs, as c matrices of 8 rows of 16 bytes.
struct MatrixAccess {
  bool isTransposed = false; // .trans
  int64_t matrices = 0;      // c: 1, 2 or 4
  int64_t instructions = 0;  // for each warp
  /// By [warp][instruction][8c rows]: the offset of a row in elements. The lane
  /// with that number supplies the address.
  std::vector<llvm::SmallVector<int64_t, 32>> rows;

  llvm::ArrayRef<int64_t> getRows(int64_t warp, int64_t instruction) const {
    return rows[warp * instructions + instruction];
  }
  BankUse getBankUse() const;
};

/// Returns the use of stmatrix or ldmatrix. Fails with the reason if the
/// threads do not hold the matrices.
llvm::Expected<MatrixAccess> getMatrixAccess(const Layout &registers,
                                             const Layout &shared,
                                             int64_t elementBytes,
                                             bool transposed);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_SHAREDACCESS_H
