//===- LayoutAssignment.h - A layout for each tile --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts propagate in three rounds. The first round starts from the layouts
// that the machine prescribes: accumulators and register operands of products.
// The second round starts from accesses to memory, where layouts matter for
// speed. The third round starts from any tile. Elementwise operations and loops
// pass layouts on unchanged, in both directions. Reductions and changes of
// shape transform them by the algebra of layouts. The first layout that reaches
// a tile stays. If another layout is needed, the conversion creates sm.convert.
//
// Two kinds of values have no layout of their own, since they cost the same in
// any layout. Tiles computed from constants, scalars and positions alone are
// recomputed. Tiles in shared memory are read again.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_LAYOUTASSIGNMENT_H
#define TESSERA_LIB_CONVERSION_TILETOSM_LAYOUTASSIGNMENT_H

#include "tessera/Conversion/TileToSM/ProductAssignments.h"

#include <deque>

namespace tessera::sm {

/// Checks whether `op` computes each element of its results from the elements
/// at the same position of its operands.
bool isElementwise(Operation *op);

/// Returns the layout of a tile that no other tile determines: vectors along
/// its rows.
llvm::Expected<layout::Layout> getDefaultLayout(RankedTensorType type,
                                                int64_t warps);

/// Returns a layout for the result of `op` whose threads hold the elements that
/// `layout` gives them of source `number`.
std::optional<layout::Layout> getRearranged(tile::RearrangeOp op,
                                            unsigned number,
                                            const layout::Layout &layout);
/// Returns a layout for source `number` of `op` whose threads hold the elements
/// that `layout` gives them of the result.
std::optional<layout::Layout> getRearrangedSource(tile::RearrangeOp op,
                                                  unsigned number,
                                                  const layout::Layout &layout);

class LayoutAssignment {
public:
  LayoutAssignment(tile::KernelOp kernel, const ProductAssignments &assigned);

  layout::Layout getDefault(RankedTensorType type) const;

  /// Returns the layout of a value that is not free.
  const layout::Layout &get(Value value) const;

  /// Checks whether the value costs the same in any layout.
  bool isFree(Value value) { return isRecomputable(value) || isFetched(value); }
  bool isRecomputable(Value value);
  bool isFetched(Value value) const;

  /// Returns a layout of a tile of `type` that reduces to `wanted`, if the
  /// products offer one; without `wanted`, any that can be reduced.
  std::optional<layout::Layout>
  findReduceSource(RankedTensorType type, unsigned axis,
                   std::optional<int64_t> keep,
                   const layout::Layout *wanted) const;

  /// Returns a layout of a tile of `type` that numbers the positions on `axis`
  /// by digits.
  layout::Layout findLayoutWithDigits(RankedTensorType type,
                                      unsigned axis) const;

  /// Returns the layout that operand a of a product has in registers, before
  /// its transposition.
  layout::Layout getOperandALayout(const ProductPlan &product,
                                   int64_t bytes) const;

  /// Returns the layout that the index of a gather along `axes` of a tile must
  /// have.
  static layout::Layout getGatherLayout(const layout::Layout &tile,
                                        tile::IndexAxes axes);

private:
  void assign(Value value, const layout::Layout &layout);
  void assign(Value value, llvm::Expected<layout::Layout> layout);
  void propagate();
  /// Assigns the layout to all tiles of `op`, if they have the same elements.
  /// Returns whether they do.
  bool propagateToAll(Operation *op, const layout::Layout &layout);
  void propagateToUse(OpOperand &use, const layout::Layout &layout);
  void propagateToSource(Value value, const layout::Layout &layout);
  void propagateToSources(Operation *op, const layout::Layout &layout);
  void propagateToArgument(BlockArgument argument,
                           const layout::Layout &layout);
  /// Returns the layouts that products of the kernel's warps would give a tile.
  std::vector<layout::Layout> getCandidates(ArrayRef<int64_t> shape) const;

  const ProductAssignments &assigned;
  llvm::DenseMap<Operation *, unsigned> order;
  llvm::DenseMap<Value, layout::Layout> layouts;
  llvm::DenseMap<Value, bool> recomputable;
  std::deque<Value> pending;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_LAYOUTASSIGNMENT_H
