//===- MaximumDegrees.h - Dependence of values on a maximum -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An online softmax carries a running maximum m of each row, and values that
// are relative to it: sums of exp2(s - m). Results do not depend on m itself.
// Any other number would do, except for the range of floats.
//
// This dataflow analysis proves it. It gives each value a degree d. The value
// is V * 2^(d m), a power of degree d, or V + d m, a sum of degree d. V does
// not depend on m. A loop has two such references: m of the iteration before,
// and m' of this one. The degrees of carried values are those of the yielded
// values (optimistic iteration to a fixed point).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_MAXIMUMDEGREES_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_MAXIMUMDEGREES_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// Dependence of a value on the maximum before an iteration, and on the maximum
/// after it.
struct Degree {
  enum Kind {
    Unknown, // a carried value whose degree is not known yet
    Power,   // V * 2^(before m + after m')
    Sum      // V + before m + after m'
  };
  Kind kind = Power;
  double before = 0, after = 0;
  /// The dimension of the tile along which m varies, unless the degree is 0.
  unsigned rows = 0;

  bool isFree() const { return kind != Unknown && !before && !after; }
  bool operator==(const Degree &other) const {
    return kind == other.kind && before == other.before &&
           after == other.after && (isFree() || rows == other.rows);
  }
};

/// The running maximum that a loop carries as value `index`.
struct RunningMaximum {
  scf::ForOp loop;
  unsigned index = 0;
  arith::MaximumFOp maximum; // the value that the loop yields

  BlockArgument getBefore() { return loop.getRegionIterArg(index); }
  /// Returns the operand of the maximum that is not the maximum of the
  /// iteration before.
  Value getScores();
};

/// Returns the running maximum of rows that `loop` carries as value `index`, if
/// there is one.
std::optional<RunningMaximum> findRunningMaximum(scf::ForOp loop,
                                                 unsigned index);

class MaximumDegrees {
public:
  explicit MaximumDegrees(const RunningMaximum &running) : running(running) {}

  /// Checks that results stay the same with any other reference in place of the
  /// maximum. If not, `why` and `place` say what prevents it.
  LogicalResult run();

  Degree get(Value value) const { return degrees.lookup(value); }

  StringRef getReason() const { return why; }
  Operation *getPlace() const { return place; }

private:
  LogicalResult runLoop(ArrayRef<Degree> carried);
  LogicalResult runBlock(Block &block);
  LogicalResult runAfterLoop();
  LogicalResult visit(Operation *op);
  LogicalResult visitBranch(scf::IfOp branch);
  FailureOr<Degree> getResult(Operation *op);
  FailureOr<Degree> getProduct(Operation *op, Value lhs, Value rhs);
  FailureOr<Degree> getSum(Operation *op, Degree lhs, Degree rhs);
  FailureOr<Degree> getMatrixProduct(GemmOp product);
  FailureOr<Degree> getReduction(Operation *op, ReduceKind kind, unsigned axis,
                                 bool isDropped);
  LogicalResult checkRows(Operation *op, const Degree &lhs, const Degree &rhs);
  FailureOr<Degree> join(Operation *op, Value lhs, Value rhs);
  LogicalResult fail(Operation *op, const Twine &reason);

  RunningMaximum running;
  DenseMap<Value, Degree> degrees;
  std::string why;
  Operation *place = nullptr;
};

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_MAXIMUMDEGREES_H
