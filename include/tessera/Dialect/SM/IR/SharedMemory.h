//===- SharedMemory.h - Shared-memory effects of ops ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vocabulary of the interfaces in dialects/SM/IR/SMInterfaces.td.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_SHAREDMEMORY_H
#define TESSERA_DIALECT_SM_IR_SHAREDMEMORY_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Value.h"

namespace tessera::sm {

/// Threads read and write themselves, by the generic proxy; asynchronous
/// accesses are those of tensor cores and tensor copies, by another proxy.
/// Atomic writes of threads need no order among each other.
enum class AccessKind { Read, Write, Atomic, AsyncRead, AsyncWrite };

/// Checks whether threads write.
inline bool isThreadWrite(AccessKind kind) {
  return kind == AccessKind::Write || kind == AccessKind::Atomic;
}

/// An access to a tile of shared memory; without a tile, to the scratch memory
/// of the op.
struct SharedUse {
  AccessKind kind;
  Value tile;
};

/// How completion of an asynchronous op becomes known.
enum class Completion {
  Products, // sm.mma.await, sm.mma.retire: in the order of issue
  Fetches,  // sm.fetch.await: in the order of start
  Barrier,  // a phase of the memory barrier that counts its bytes
  EndOfRole // the end of the role, or of the op without roles
};

/// The attribute, an i64, with the address of an operation's scratch memory in
/// bytes from the start of the dynamic shared memory. Only the operation itself
/// uses it while it runs; sm-place-fences separates it from what lies in the
/// same bytes before and after.
inline constexpr llvm::StringLiteral kScratchAddressAttrName =
    "sm.scratch_address";

/// Returns the scratch memory in bytes that `op` takes; 0 if it needs none.
int64_t getScratchBytes(Operation *op);

/// Returns the asynchronous work that `op` starts, and the work that it waits
/// for; nothing for most ops.
std::optional<Completion> getCompletion(Operation *op);
std::optional<Completion> getAwaited(Operation *op);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_SHAREDMEMORY_H
