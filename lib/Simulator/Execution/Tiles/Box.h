//===- Box.h - A box of a global tensor -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_TILES_BOX_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_TILES_BOX_H

#include "Machine/Cluster.h"

namespace tessera::sim {

/// The operands shared by all accesses of global tensors.
struct BoxOperands {
  Value global;
  ValueRange indices, limits;
  Value mask;
  ArrayRef<int64_t> dims;
  SmallVector<tile::IndexAxes> axes;
  /// Whether each of `dims` is known to be in bounds.
  SmallVector<bool> inBounds;

  template <typename OpTy>
  static BoxOperands get(OpTy op) {
    BoxOperands operands{op.getGlobal(),
                         op.getIndices(),
                         op.getLimits(),
                         op.getMask(),
                         op.getDims(),
                         op.getIndexAxes(),
                         {}};
    for (size_t i = 0; i < operands.dims.size(); ++i)
      operands.inBounds.push_back(op.isInBounds(i));
    return operands;
  }
};

/// The positions of the elements of a tile of `shape` in a global tensor.
class Box {
public:
  /// Threads clip by limits, tensor copies by the sizes of the tensor, and
  /// roles that copy by both.
  enum class Clip { ByLimits, BySizes, ByBoth };

  /// Computes the box of an access. `shift` is added to the start of the tile,
  /// by dimension of the tile. Fails with a report.
  static FailureOr<Box> get(Operation *op, const BoxOperands &operands,
                            ArrayRef<int64_t> shape, Warp &warp, Clip clip,
                            ArrayRef<int64_t> shift = {});

  interp::GlobalTensor &getTensor() const { return *tensor; }

  enum class Write { Store, Atomic };
  /// An atomic operation on elements.
  struct Replacement {
    tile::AtomicKind kind = tile::AtomicKind::Add;
    tile::AtomicOrder order = tile::AtomicOrder::Relaxed;
    /// The operand of AtomicKind::Cas, by place; null for others.
    const interp::Tile *expected = nullptr;
    /// Takes the elements before, by place, unless it is null.
    interp::Tile *old = nullptr;
  };

  /// Records that the asynchronous operation `number` reads, or writes, all
  /// these elements. Only the order is decided here; `read` and `write` are the
  /// effect.
  LogicalResult issue(Operation *op, Warp &warp, ArrayRef<int32_t> elements,
                      uint32_t number, std::optional<Write> write);

  /// Sets values[i] to elements[i] where that is valid.
  LogicalResult read(Operation *op, Warp &warp, ArrayRef<int32_t> elements,
                     interp::Tile &values) const;

  /// Writes values[i] to elements[i], or replaces it atomically, where that is
  /// valid and `applies(i)`.
  LogicalResult write(Operation *op, Warp &warp, ArrayRef<int32_t> elements,
                      const interp::Tile &values,
                      std::optional<Replacement> replacement,
                      function_ref<bool(size_t)> applies) const;

private:
  static constexpr int64_t outside = std::numeric_limits<int64_t>::min();
  /// Offset of a gathered position that the warp does not hold.
  static constexpr int64_t unknown = outside + 1;

  /// Adds the offsets of an index that extends from `firstAxis` on. Offsets of
  /// paired indices are summed.
  void add(int64_t firstAxis, std::vector<int64_t> offsets);

  Moment getMoment(const Warp &warp) const {
    return issued ? Moment::async(*issued) : warp.now();
  }

  /// Returns the offset of an element in the tensor's memory.
  int64_t getOffset(int64_t element) const;

  interp::GlobalTensor *tensor = nullptr;
  /// The number of the asynchronous operation, if `issue` was called.
  std::optional<uint32_t> issued;
  /// Offset contributed by the dimensions that the tile does not have.
  int64_t base = 0;
  /// The offsets of positions along consecutive axes of the tile.
  struct Part {
    int64_t firstAxis;
    std::vector<int64_t> offsets;
  };
  SmallVector<Part> parts;
};

/// Sets all elements to `fill`, if it is given.
void fillWith(interp::Tile &values, TypedAttr fill);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_TILES_BOX_H
