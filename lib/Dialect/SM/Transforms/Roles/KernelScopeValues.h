//===- KernelScopeValues.h - Values at kernel scope -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalars of a kernel's block stay at kernel scope, where each role may use
// them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_KERNELSCOPEVALUES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_KERNELSCOPEVALUES_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/SetVector.h"

namespace tessera::sm {

class KernelScopeValues {
public:
  explicit KernelScopeValues(KernelOp kernel);

  bool contains(Operation *op) const { return ops.contains(op); }
  /// Checks whether `value` is of such an op, or a parameter of the kernel.
  bool contains(Value value) const;

private:
  llvm::SetVector<Operation *> ops;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_KERNELSCOPEVALUES_H
