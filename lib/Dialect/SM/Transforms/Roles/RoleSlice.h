//===- RoleSlice.h - Scalar control flow of operations ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program slice: the ops that make given operations run the same number of
// times, in the same order and at the same positions. These are loops,
// conditions, and the scalars that they use. A role that only copies executes
// this slice of a kernel and nothing else. Tiles of positions that are gathered
// are part of it, in a layout of that role.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_ROLESLICE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_ROLESLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tessera/Support/LLVM.h"
#include "tessera/Support/Reason.h"
#include <functional>

namespace tessera::sm {

/// Whether a value is at hand wherever a slice is cloned.
using IsVisible = std::function<bool(Value)>;

/// The layout that a tile has in a clone in place of its own; null if it can
/// have none.
using ChangeLayout = std::function<Attribute(Attribute)>;

class RoleSlice {
public:
  /// With `changeLayout`, values computed from tiles that arrive through rings,
  /// or are loaded, may be part of the slice as well. One change for all keeps
  /// the relations between their layouts.
  explicit RoleSlice(IsVisible isVisible, ChangeLayout changeLayout = nullptr)
      : isVisible(std::move(isVisible)), changeLayout(std::move(changeLayout)) {
  }

  /// Adds the control flow around `op` and `values`, which it takes; tiles
  /// among these in `layout`, without which there must be none. Returns what
  /// cannot be in the slice, which then stays as it was.
  Reason add(Operation *op, ValueRange values, Attribute layout = {});

  /// Checks whether `op` was added, or is cloned for what was.
  bool contains(Operation *op) const {
    return ops.contains(op) || roots.contains(op);
  }

  /// Clones the ops of `block` that belong to the slice. At each operation that
  /// was added, calls `emit` to build its replacement; operands are looked up
  /// in the mapping.
  void clone(Block &block, OpBuilder &builder, IRMapping &mapping,
             function_ref<void(Operation *, OpBuilder &, IRMapping &)> emit);

private:
  Reason needValue(Value value);
  Reason needTile(Value tile);
  Reason needRead(Operation *read);
  Reason needControlFlow(Operation *op);
  Reason needCarried(Operation *op, unsigned index);
  Reason needAfterCarried(scf::WhileOp loop, unsigned index);
  void
  cloneLoop(scf::ForOp loop, OpBuilder &builder, IRMapping &mapping,
            function_ref<void(Operation *, OpBuilder &, IRMapping &)> emit);
  void cloneIf(scf::IfOp op, OpBuilder &builder, IRMapping &mapping,
               function_ref<void(Operation *, OpBuilder &, IRMapping &)> emit);
  void
  cloneWhile(scf::WhileOp loop, OpBuilder &builder, IRMapping &mapping,
             function_ref<void(Operation *, OpBuilder &, IRMapping &)> emit);

  Type changeType(Type type) const;

  IsVisible isVisible;
  ChangeLayout changeLayout;
  llvm::DenseSet<Value> values;
  /// Operations that are cloned, and those that were added.
  llvm::DenseSet<Operation *> ops, roots;
  /// The layouts of tiles, and that of those which are being added.
  llvm::DenseMap<Operation *, Attribute> layouts;
  Attribute layout;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_ROLESLICE_H
