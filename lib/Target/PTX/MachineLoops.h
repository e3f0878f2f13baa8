//===- MachineLoops.h - Spills in loops of machine code ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas says how many bytes a kernel spills, and not where. Spills cost time in
// loops: what an epilogue spills is moved once.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TARGET_PTX_MACHINELOOPS_H
#define TESSERA_LIB_TARGET_PTX_MACHINELOOPS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tessera::ptx {

/// Instructions that store or load spilled registers in innermost loops of
/// `kernel`, those with matrix products if it has products. `cubin` is machine
/// code of sm_90; 0 if it cannot be read.
int64_t countSpillsInLoops(llvm::StringRef cubin, llvm::StringRef kernel);

} // namespace tessera::ptx

#endif // TESSERA_LIB_TARGET_PTX_MACHINELOOPS_H
