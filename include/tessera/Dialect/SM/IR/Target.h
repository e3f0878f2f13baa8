//===- Target.h - The GPU that a module is compiled for ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits of the GPU for verifiers, analyses and passes, which have no other
// source of them. The driver of the phases chooses the GPU (Phases.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_TARGET_H
#define TESSERA_DIALECT_SM_IR_TARGET_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Target/GpuTarget.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera::sm {

/// The attribute of a module that names its target, an `#sm.target`.
inline constexpr llvm::StringLiteral kTargetAttrName = "sm.target";

/// Returns the target that `module` names, or null.
const GpuTarget *findTarget(ModuleOp module);

/// Returns the target of the innermost module around `op` that names one; what
/// is written by hand and names none is for the default one.
const GpuTarget &getTarget(Operation *op);

void setTarget(ModuleOp module, const GpuTarget &target);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_TARGET_H
