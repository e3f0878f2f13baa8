//===- ConstantOperands.h - Constants as operands of wgmma ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas 13.5.37 miscompiles constants in operand A of a wgmma, if a store of 8
// or 16 bytes writes the same registers to memory. It moves the constants to
// the registers only after the store. This code hides them from ptxas.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_CONSTANTOPERANDS_H
#define TESSERA_TARGET_PTX_CONSTANTOPERANDS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tessera::ptx {

/// Adds a zero that ptxas does not know to every constant in operand A of a
/// wgmma: the upper bit of %dynamic_smem_size, which is below 2^31.
void hideConstantOperands(llvm::Module &module);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_CONSTANTOPERANDS_H
