//===- ProgramVariance.h - Values that differ between programs --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divergence analysis over the programs of a grid: which values may differ
// between two programs that have executed the same operations so far. The
// coordinates of a program and results of atomic operations do. A load from a
// position that all programs share does not: if one of them wrote there since
// the last barrier of the grid, the load would be a race.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_ANALYSIS_PROGRAMVARIANCE_H
#define TESSERA_DIALECT_TILE_ANALYSIS_PROGRAMVARIANCE_H

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/DenseMap.h"

namespace tessera::tile {

class ProgramVariance {
public:
  explicit ProgramVariance(KernelOp kernel);

  /// Whether `value` may differ between programs.
  bool varies(Value value) const { return varying.contains(value); }
  /// Returns the branch or loop where programs may first go different ways, so
  /// that not all of them come to `op` together; null if all do.
  Operation *findDivergence(Operation *op) const;

private:
  /// `cause` is the branch or loop on which `value` depends; null if none.
  void mark(Value value, Operation *cause);
  void markAll(Operation *op, Operation *cause);
  void follow(OpOperand &use);

  llvm::DenseMap<Value, Operation *> varying;
  /// Operations with regions that programs execute differently, and where that
  /// began.
  llvm::DenseMap<Operation *, Operation *> divergent;
  SmallVector<Value> worklist;
};

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_ANALYSIS_PROGRAMVARIANCE_H
