//===- RegisterNeeds.h - Register needs of a thread -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas assigns registers, but some failures are known before. Advice must be
// prepared here, since ptxas sees neither tiles nor warpgroups.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERNEEDS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERNEEDS_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tessera::sm {

/// Rejects products whose instruction needs more registers than a thread has at
/// the start of the kernel. Budgets of roles do not apply there.
LogicalResult checkProductRegisters(KernelOp kernel);

/// Records on `function` the data for messages about complaints of ptxas about
/// registers: the largest tile of `kernel`, and whether warpgroups could be
/// added. Warns of a tile that takes more registers than a thread has.
void describeRegisterNeeds(KernelOp kernel, LLVM::LLVMFuncOp function);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_KERNEL_REGISTERNEEDS_H
