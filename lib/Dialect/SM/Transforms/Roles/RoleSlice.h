//===- RoleSlice.h - Scalar control flow of operations ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has to run so that given operations run as often, in the same order and
// at the same positions: loops, conditions, and scalars that these take. A role
// that only copies executes this slice of a kernel and nothing else. Tiles of
// positions that are gathered are part of it, in a layout of that role.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_ROLESLICE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_ROLESLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "tessera/Support/LLVM.h"
#include <functional>

namespace tessera::sm {

/// Whether a value is at hand wherever a slice is cloned.
using IsGiven = std::function<bool(Value)>;

/// The layout that a tile has in a clone in place of its own; null if it can
/// have none.
using ChangeLayout = std::function<Attribute(Attribute)>;

class RoleSlice {
public:
  /// With `changeLayout`, what is computed from tiles that arrive through
  /// rings, or are loaded, may be part of the slice, too. One change for all
  /// keeps how their layouts follow from each other.
  explicit RoleSlice(IsGiven isGiven, ChangeLayout changeLayout = nullptr)
      : isGiven(std::move(isGiven)), changeLayout(std::move(changeLayout)) {}

  /// Adds the control flow around `op` and `values`, which it takes; tiles
  /// among these in `layout`, without which there must be none. On failure the
  /// slice is as it was, and `why` says what cannot be in it.
  LogicalResult add(Operation *op, ValueRange values, std::string &why,
                    Attribute layout = {});

  /// Whether `op` was added, or is cloned for what was.
  bool contains(Operation *op) const {
    return ops.contains(op) || roots.contains(op);
  }

  /// Clones what belongs to the slice from `block`. At each operation that was
  /// added, calls `emit` to build what stands for it; operands are looked up in
  /// the mapping.
  void clone(Block &block, OpBuilder &builder, IRMapping &mapping,
             function_ref<void(Operation *, OpBuilder &, IRMapping &)> emit);

private:
  LogicalResult needValue(Value value, std::string &why);
  LogicalResult needTile(Value tile, std::string &why);
  LogicalResult needRead(Operation *read, std::string &why);
  LogicalResult needControlFlow(Operation *op, std::string &why);
  LogicalResult needCarried(Operation *op, unsigned index, std::string &why);
  LogicalResult needAfterCarried(scf::WhileOp loop, unsigned index,
                                 std::string &why);
  void
  cloneLoop(scf::ForOp loop, OpBuilder &builder, IRMapping &mapping,
            function_ref<void(Operation *, OpBuilder &, IRMapping &)> emit);
  void cloneIf(scf::IfOp op, OpBuilder &builder, IRMapping &mapping,
               function_ref<void(Operation *, OpBuilder &, IRMapping &)> emit);
  void
  cloneWhile(scf::WhileOp loop, OpBuilder &builder, IRMapping &mapping,
             function_ref<void(Operation *, OpBuilder &, IRMapping &)> emit);

  Type changeType(Type type) const;

  IsGiven isGiven;
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
