//===- Multiples.h - Positions that are multiples ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether sizes and positions are multiples of a number in every run, or in
// runs whose sizes meet conditions. Vectors and tensor copies must begin at
// multiples of 16 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_ANALYSIS_MULTIPLES_H
#define TESSERA_DIALECT_SM_ANALYSIS_MULTIPLES_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::sm {

/// A size that must be a multiple of `width`.
struct Multiple {
  tile::SizeAttr size;
  int64_t width;

  /// Returns what must be 0 at launch.
  tile::SizeAttr getRemainder() const;
  /// Checks whether no sizes let `other` hold as well: B and B + 1 are not both
  /// even.
  bool contradicts(const Multiple &other) const;
};

/// Collects the conditions that make sizes and positions multiples of `width`;
/// those of `known` are multiples already.
class Multiples {
public:
  explicit Multiples(int64_t width, ArrayRef<Multiple> known = {})
      : width(width), known(known) {}

  /// Checks whether they can be.
  bool require(tile::SizeAttr size);
  bool require(Value position) { return require(position, kMaxDepth); }

  ArrayRef<Multiple> get() const { return own; }
  /// Returns what must be 0 at launch.
  SmallVector<tile::SizeAttr> getRemainders() const;

private:
  /// Largest number of operations through which a position is followed, as each
  /// may have two operands.
  static constexpr unsigned kMaxDepth = 12;

  bool require(Value position, unsigned depth);

  int64_t width;
  ArrayRef<Multiple> known;
  SmallVector<Multiple> own;
};

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_ANALYSIS_MULTIPLES_H
