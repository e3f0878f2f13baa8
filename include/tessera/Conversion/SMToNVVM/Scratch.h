//===- Scratch.h - Shared memory that operations pass through ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions, reductions and scans whose elements cross warps go through
// shared memory. Who lays out shared memory asks here how much each of them
// takes, and answers with an attribute.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_SMTONVVM_SCRATCH_H
#define TESSERA_CONVERSION_SMTONVVM_SCRATCH_H

#include "tessera/Support/LLVM.h"

namespace tessera::sm {

/// The attribute, an i64, with the address of an operation's scratch memory in
/// bytes from the start of the dynamic shared memory. Only the operation itself
/// uses it while it runs; sm-place-fences separates it from what lies in the
/// same bytes before and after.
inline constexpr llvm::StringLiteral kScratchAddressAttrName =
    "sm.scratch_address";

/// The scratch memory in bytes that `op` takes; 0 if it needs none.
int64_t getScratchBytes(Operation *op);
/// What its address must be a multiple of, in bytes.
int64_t getScratchAlignment(Operation *op);

} // namespace tessera::sm

#endif // TESSERA_CONVERSION_SMTONVVM_SCRATCH_H
