//===- LinearBounds.h - Linear bounds of positions --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static facts about positions. A scalar is a linear expression, and a tile of
// positions is an interval between two linear expressions. Further facts follow
// from the operations that compute a value: it is not negative, it is at most a
// size, it has a known divisor. Index arithmetic has 64 bits in this analysis,
// so sums of a few 32-bit numbers are exact. PositionBounds.h checks whether
// the numbers themselves have 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_ANALYSIS_LINEARBOUNDS_H
#define TESSERA_DIALECT_TILE_ANALYSIS_LINEARBOUNDS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// Largest number of operations through which a value is followed. Each query
/// passes on the remaining depth. Without the limit, a chain of additions of a
/// value to itself would take exponential time.
constexpr unsigned kMaxDepth = 12;

/// constant + sum of coefficient * atom. An atom is an `index` or `i32` value,
/// or a range, which represents its start.
class LinearExpr {
public:
  LinearExpr() = default;
  /*implicit*/ LinearExpr(int64_t constant) : constant(constant) {}

  /// Returns `value` as a linear expression. Never fails: a value that is not
  /// linear is an atom.
  static LinearExpr get(Value value, unsigned depth = kMaxDepth);
  /// Returns the start of a range.
  static LinearExpr getStart(Value range, unsigned depth = kMaxDepth);

  LinearExpr operator+(const LinearExpr &other) const;
  LinearExpr operator-(const LinearExpr &other) const;
  LinearExpr operator*(int64_t factor) const;

  int64_t getConstant() const { return constant; }
  bool isConstant() const { return terms.empty(); }
  ArrayRef<std::pair<Value, int64_t>> getTerms() const { return terms; }
  int64_t getCoefficient(Value atom) const;
  /// Returns the expression without its term in `atom`.
  LinearExpr without(Value atom) const;

  /// Checks whether it is at least 0 in every run.
  bool isNonNegative() const;

  /// Returns the value as an `index`, or in a wider `type` of integers.
  Value materialize(OpBuilder &builder, Location loc, Type type = {}) const;

  void print(llvm::raw_ostream &os) const;

private:
  void add(Value atom, int64_t coefficient);

  int64_t constant = 0;
  SmallVector<std::pair<Value, int64_t>, 2> terms;
};

/// Every element of a tile is at least `low` and at most `high`.
struct ElementBounds {
  LinearExpr low, high;
};

/// Returns the bounds of an i32 tile that is computed from positions and
/// scalars, provided that no intermediate number leaves 32 bits.
std::optional<ElementBounds> getElementBounds(Value tile,
                                              unsigned depth = kMaxDepth);

/// Collects the bounds of `tile` and of all tiles from which it is computed.
/// `getElementBounds` is right if all these numbers have 32 bits.
void collectSums(Value tile, SmallVectorImpl<ElementBounds> &sums,
                 unsigned depth = kMaxDepth);

/// Checks whether a scalar is at least 0 in every run.
bool isNonNegative(Value value, unsigned depth = kMaxDepth);

/// Checks whether the limit of a range is at least 0 in every run.
bool isLimitNonNegative(Value range, unsigned depth = kMaxDepth);

/// Checks whether a scalar is at most `size` in every run.
bool isAtMost(Value value, SizeAttr size, unsigned depth = kMaxDepth);

/// Returns the largest number that is known to divide a scalar; 0 for the
/// constant 0.
int64_t getKnownDivisor(Value value, unsigned depth = kMaxDepth);

/// Creates the start of the first iteration of a loop that begins at least
/// `distance` after `first`, where the loop begins.
Value makeIterationStart(OpBuilder &builder, Location loc, Value first,
                         Value distance, Value step);

/// Returns the range that `range` is a shift of, or itself.
Value getUnshiftedRange(Value range);

/// Checks whether all indices of `range` are valid in every run.
bool isFullRange(Value range);

/// Checks whether index operand `dim` of an access to a tensor of type `global`
/// is valid and inside the tensor in every run.
bool isInBounds(Value index, GlobalType global, unsigned dim);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_ANALYSIS_LINEARBOUNDS_H
