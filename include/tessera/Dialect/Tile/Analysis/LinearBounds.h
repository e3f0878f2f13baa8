//===- LinearBounds.h - Linear bounds of positions --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be said about positions without running the kernel: scalars as
// linear expressions, tiles of positions as intervals between two of them, and
// a few facts (not negative, at most a size, a known divisor) that follow from
// how a value is computed. Index arithmetic has 64 bits here, so sums of a few
// numbers of 32 bits are exact; whether they have 32 bits themselves is another
// question (PositionBounds.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_ANALYSIS_LINEARBOUNDS_H
#define TESSERA_DIALECT_TILE_ANALYSIS_LINEARBOUNDS_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tile {

/// How far a value is followed through the operations that compute it. Every
/// query takes what is left of it: a chain of additions of a value to itself
/// would take exponential time otherwise.
constexpr unsigned kMaxDepth = 12;

/// constant + sum of coefficient * atom. An atom is an `index` or `i32` value,
/// or a range, which stands for its start.
class LinearExpr {
public:
  LinearExpr() = default;
  /*implicit*/ LinearExpr(int64_t constant) : constant(constant) {}

  /// `value` taken apart as far as it is linear; never fails, since a value
  /// that is not is an atom.
  static LinearExpr get(Value value, unsigned depth = kMaxDepth);
  /// The start of a range.
  static LinearExpr getStart(Value range, unsigned depth = kMaxDepth);

  LinearExpr operator+(const LinearExpr &other) const;
  LinearExpr operator-(const LinearExpr &other) const;
  LinearExpr operator*(int64_t factor) const;

  int64_t getConstant() const { return constant; }
  bool isConstant() const { return terms.empty(); }
  ArrayRef<std::pair<Value, int64_t>> getTerms() const { return terms; }
  int64_t getCoefficient(Value atom) const;
  /// The expression without its term in `atom`.
  LinearExpr without(Value atom) const;

  /// Whether it is at least 0 in every run.
  bool isNonNegative() const;

  /// The value as an `index`.
  Value materialize(OpBuilder &builder, Location loc) const;

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

/// The bounds of an i32 tile that is computed from positions and scalars, if no
/// number on the way leaves 32 bits.
std::optional<ElementBounds> getElementBounds(Value tile,
                                              unsigned depth = kMaxDepth);

/// The bounds of all tiles that `tile` is computed from, itself included: what
/// has to lie within 32 bits for `getElementBounds` to be right.
void collectSums(Value tile, SmallVectorImpl<ElementBounds> &sums,
                 unsigned depth = kMaxDepth);

/// Whether a scalar is at least 0 in every run.
bool isNonNegative(Value value, unsigned depth = kMaxDepth);

/// Whether the limit of a range is at least 0 in every run.
bool isLimitNonNegative(Value range, unsigned depth = kMaxDepth);

/// Whether a scalar is at most `size` in every run.
bool isAtMost(Value value, SizeAttr size, unsigned depth = kMaxDepth);

/// The largest number that is known to divide a scalar; 0 for the constant 0.
int64_t getKnownDivisor(Value value, unsigned depth = kMaxDepth);

/// The range that `range` is a shift of, or itself.
Value getUnshiftedRange(Value range);

/// Whether all indices of `range` are valid in every run.
bool isFullRange(Value range);

/// Whether index operand `dim` of an access to a tensor of type `global` is
/// valid and inside the tensor in every run.
bool isInBounds(Value index, GlobalType global, unsigned dim);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_ANALYSIS_LINEARBOUNDS_H
