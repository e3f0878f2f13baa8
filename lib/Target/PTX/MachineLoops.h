//===- MachineLoops.h - Spills in loops of machine code ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas reports how many bytes a kernel spills, but not where. Spills cost time
// in loops: the spills of an epilogue are executed once.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TARGET_PTX_MACHINELOOPS_H
#define TESSERA_LIB_TARGET_PTX_MACHINELOOPS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tessera::ptx {

/// Counts instructions that store or load spilled registers in innermost loops
/// of `kernel`; if it has matrix products, only in loops with products. `cubin`
/// is machine code of sm_90. Returns 0 if it cannot be read.
int64_t countSpillsInLoops(llvm::StringRef cubin, llvm::StringRef kernel);

} // namespace tessera::ptx

#endif // TESSERA_LIB_TARGET_PTX_MACHINELOOPS_H
