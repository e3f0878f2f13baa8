//===- RegisterNeeds.h - Whether a thread has the registers -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are ptxas's to hand out, but what it cannot do is known before, and
// what would help is known only before: it sees neither tiles nor warpgroups.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERNEEDS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERNEEDS_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera::sm {

/// Refuses products whose instruction needs more registers than a thread has
/// when the kernel starts: budgets of roles do not count there.
LogicalResult checkProductRegisters(KernelOp kernel);

/// Keeps on `function` what ptxas's complaints about registers are answered
/// with: the largest tile of `kernel`, and whether warpgroups could be added.
/// Warns of a tile that takes more registers than a thread has.
void describeRegisterNeeds(KernelOp kernel, LLVM::LLVMFuncOp function);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERNEEDS_H
