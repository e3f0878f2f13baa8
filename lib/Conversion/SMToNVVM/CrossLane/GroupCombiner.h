//===- GroupCombiner.h - Combination of groups ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group is the elements of all sources of a scan or reduction at one
// position. Groups are combined by a kind (one source, in its working type) or
// by the region of the op, whose operations are emitted for each combination.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_GROUPCOMBINER_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_GROUPCOMBINER_H

#include "Combiner.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tessera::sm {

using Group = SmallVector<Value, 2>;

class GroupCombiner {
public:
  /// Combines elements in the working type of `kind`.
  explicit GroupCombiner(const Combiner &kind)
      : kind(&kind), elements({kind.getWorkType()}) {}
  /// Combines elements in storage types by `region`.
  GroupCombiner(Region &region, ArrayRef<Type> elements)
      : region(&region), elements(elements) {}

  unsigned getNumSources() const { return elements.size(); }
  /// The type of 32 or 64 bits in which an element moves between threads.
  Type getMovedType(unsigned source) const {
    return sm::getWorkType(elements[source]);
  }
  Value toMoved(OpBuilder &builder, Location loc, unsigned source,
                Value value) const;
  Value fromMoved(OpBuilder &builder, Location loc, unsigned source,
                  Value value) const;

  /// Combines the group of a left part with that of the right part after it.
  Group combine(OpBuilder &builder, Location loc, const Group &left,
                const Group &right) const;
  /// Combines adjacent groups in order, as a balanced tree.
  Group combineAll(OpBuilder &builder, Location loc,
                   SmallVector<Group> groups) const;
  Group select(OpBuilder &builder, Location loc, Value condition,
               const Group &first, const Group &second) const;
  Group shuffle(OpBuilder &builder, Location loc, NVVM::ShflKind kind,
                const Group &group, Value lane) const;
  /// Emits the identity element; nothing if none is known.
  std::optional<Group> emitIdentity(OpBuilder &builder, Location loc) const;

  /// Checks whether an operation of the region had no lowering, which was
  /// reported.
  bool hasFailed() const { return failed; }

private:
  const Combiner *kind = nullptr;
  Region *region = nullptr;
  SmallVector<Type> elements;
  mutable bool failed = false;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_GROUPCOMBINER_H
