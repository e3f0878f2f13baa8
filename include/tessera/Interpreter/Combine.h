//===- Combine.h - Combination in reductions --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The combination of two elements by reductions and scans along an axis, shared
// by the interpreter and the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_COMBINE_H
#define TESSERA_INTERPRETER_COMBINE_H

#include "tessera/Array/Rounding.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Interpreter/Tile.h"

namespace tessera::interp {

template <typename T>
std::enable_if_t<std::is_floating_point_v<T>, T>
combine(tile::ReduceKind kind, ElementType type, T x, T y) {
  if (kind == tile::ReduceKind::Sum)
    return roundToType<T>(type, x + y);
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? x : y;
  if (x == y) // zeros are ordered by their sign
    return std::signbit(x) == (kind == tile::ReduceKind::Min) ? x : y;
  return (x < y) == (kind == tile::ReduceKind::Min) ? x : y;
}

inline int64_t combine(tile::ReduceKind kind, ElementType type, int64_t x,
                       int64_t y) {
  if (kind == tile::ReduceKind::Sum)
    return wrap(type, int64_t(uint64_t(x) + uint64_t(y)));
  return kind == tile::ReduceKind::Max ? std::max(x, y) : std::min(x, y);
}

/// A tile as outer × axis × inner elements.
struct AxisView {
  int64_t outer = 1, extent = 1, inner = 1;

  AxisView(ArrayRef<int64_t> shape, int64_t axis) : extent(shape[axis]) {
    for (int64_t other : shape.take_front(axis))
      outer *= other;
    for (int64_t other : shape.drop_front(axis + 1))
      inner *= other;
  }
  int64_t at(int64_t o, int64_t i, int64_t j) const {
    return (o * extent + i) * inner + j;
  }
};

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_COMBINE_H
