//===- ProgramWalk.h - Loops of roles over programs -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A persistent CTA walks over programs in steps of `sm.cta_count`. Where roles
// compute in turn, each of several walks over its share of them, in as many
// times longer steps.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_PROGRAMWALK_H
#define TESSERA_DIALECT_SM_IR_PROGRAMWALK_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {

/// Checks whether an iteration of `loop` is a program.
bool isOverPrograms(scf::ForOp loop);

/// Returns the roles that take turns as a whole, in the order of the kernel,
/// which is that of their turns.
SmallVector<RoleOp> getRolesInTurn(KernelOp kernel);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_PROGRAMWALK_H
