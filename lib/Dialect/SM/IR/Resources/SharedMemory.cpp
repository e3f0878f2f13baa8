//===- SharedMemory.cpp - Shared-memory effects of ops ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sm;

#include "dialects/SM/IR/SMInterfaces.cpp.inc"

/// Of scratch memory, in bytes: what the widest access wants.
static constexpr int64_t kScratchAlignment = 16;
/// PTX ISA, "mbarrier": an object of 8 bytes, aligned to them.
static constexpr int64_t kBarrierBytes = 8;
static constexpr int64_t kAllocatedWordBytes = 4;

int64_t sm::getScratchBytes(Operation *op) {
  auto memory = dyn_cast<SharedMemoryOpInterface>(op);
  return memory && memory.isScratch() ? memory.getSharedBytes() : 0;
}

std::optional<Completion> sm::getCompletion(Operation *op) {
  auto started = dyn_cast<AsynchronousOpInterface>(op);
  return started ? std::optional(started.getCompletion()) : std::nullopt;
}

std::optional<Completion> sm::getAwaited(Operation *op) {
  auto await = dyn_cast<AwaitOpInterface>(op);
  return await ? std::optional(await.getAwaited()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

int64_t FetchOp::getSharedBytes() { return getType().getBytes(); }
int64_t FetchOp::getSharedAlignment() { return getType().getAlignment(); }

int64_t SmemStoreOp::getSharedBytes() { return getType().getBytes(); }
int64_t SmemStoreOp::getSharedAlignment() { return getType().getAlignment(); }

int64_t ScratchOp::getSharedBytes() { return getType().getBytes(); }
int64_t ScratchOp::getSharedAlignment() { return getType().getAlignment(); }

int64_t SlotsAllocOp::getSharedBytes() {
  return getType().getCount() * getType().getTile().getBytes();
}
int64_t SlotsAllocOp::getSharedAlignment() {
  return getType().getTile().getAlignment();
}

int64_t MbarrierAllocOp::getSharedBytes() {
  return getType().getCount() * kBarrierBytes;
}
int64_t MbarrierAllocOp::getSharedAlignment() { return kBarrierBytes; }

int64_t WordsAllocOp::getSharedBytes() {
  return getType().getCount() * kAllocatedWordBytes;
}
int64_t WordsAllocOp::getSharedAlignment() { return kAllocatedWordBytes; }

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

bool ConvertOp::isScratch() { return true; }
int64_t ConvertOp::getSharedBytes() { return getConvertScratch(*this); }
int64_t ConvertOp::getSharedAlignment() { return kScratchAlignment; }

bool RearrangeOp::isScratch() { return true; }
int64_t RearrangeOp::getSharedBytes() { return getRearrangeScratch(*this); }
int64_t RearrangeOp::getSharedAlignment() { return kScratchAlignment; }

bool ReduceOp::isScratch() { return true; }
int64_t ReduceOp::getSharedBytes() { return getReduceScratch(*this); }
int64_t ReduceOp::getSharedAlignment() { return kScratchAlignment; }

bool ScanOp::isScratch() { return true; }
int64_t ScanOp::getSharedBytes() { return getScanScratch(*this); }
int64_t ScanOp::getSharedAlignment() { return kScratchAlignment; }

bool ReduceWithOp::isScratch() { return true; }
int64_t ReduceWithOp::getSharedBytes() {
  return getWithScratch(*this, getSources(), getAxis());
}
int64_t ReduceWithOp::getSharedAlignment() { return kScratchAlignment; }

bool ScanWithOp::isScratch() { return true; }
int64_t ScanWithOp::getSharedBytes() {
  return getWithScratch(*this, getSources(), getAxis());
}
int64_t ScanWithOp::getSharedAlignment() { return kScratchAlignment; }

bool TmaStoreOp::isScratch() { return true; }
int64_t TmaStoreOp::getSharedBytes() {
  int64_t warpgroups = getWarps(*this) / getTarget(*this).warpsPerWarpgroup;
  return warpgroups * getBuffers() * getBufferType().getBytes();
}
int64_t TmaStoreOp::getSharedAlignment() {
  return getBufferType().getAlignment();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

using Uses = SmallVector<SharedUse>;

Uses FetchOp::getSharedUses() { return {{AccessKind::Write, getResult()}}; }
Uses FetchStartOp::getSharedUses() { return {{AccessKind::Write, getTile()}}; }
Uses SmemStoreOp::getSharedUses() { return {{AccessKind::Write, getResult()}}; }
Uses ClipOp::getSharedUses() { return {{AccessKind::Write, getTile()}}; }
Uses SlotStoreOp::getSharedUses() { return {{AccessKind::Write, getTile()}}; }
Uses SmemAtomicOp::getSharedUses() { return {{AccessKind::Atomic, getTile()}}; }
Uses SmemLoadOp::getSharedUses() { return {{AccessKind::Read, getSource()}}; }
Uses CopyStoreOp::getSharedUses() {
  return {{AccessKind::AsyncRead, getValue()}};
}
Uses CopyStartOp::getSharedUses() {
  return {{AccessKind::AsyncWrite, getTile()}};
}
Uses TmaLoadOp::getSharedUses() {
  return {{AccessKind::AsyncWrite, getTile()}};
}

Uses DotOp::getSharedUses() {
  return {{AccessKind::Read, getA()}, {AccessKind::Read, getB()}};
}

/// Operand a may lie in registers.
template <typename OpTy>
static Uses getOperandUses(OpTy op) {
  Uses uses;
  if (isa<SmemType>(op.getA().getType()))
    uses.push_back({AccessKind::AsyncRead, op.getA()});
  uses.push_back({AccessKind::AsyncRead, op.getB()});
  return uses;
}

Uses MmaOp::getSharedUses() { return getOperandUses(*this); }
Uses MmaIssueOp::getSharedUses() { return getOperandUses(*this); }

/// Returns the uses of a tile that passes through scratch memory: it is
/// written, then read.
template <typename OpTy>
static Uses getScratchUses(OpTy op, AccessKind read) {
  if (op.getSharedBytes() == 0)
    return {};
  return {{AccessKind::Write, Value()}, {read, Value()}};
}

Uses ConvertOp::getSharedUses() {
  return getScratchUses(*this, AccessKind::Read);
}
Uses RearrangeOp::getSharedUses() {
  return getScratchUses(*this, AccessKind::Read);
}
Uses ReduceOp::getSharedUses() {
  return getScratchUses(*this, AccessKind::Read);
}
Uses ScanOp::getSharedUses() { return getScratchUses(*this, AccessKind::Read); }
Uses ReduceWithOp::getSharedUses() {
  return getScratchUses(*this, AccessKind::Read);
}
Uses ScanWithOp::getSharedUses() {
  return getScratchUses(*this, AccessKind::Read);
}
Uses TmaStoreOp::getSharedUses() {
  return getScratchUses(*this, AccessKind::AsyncRead);
}

//===----------------------------------------------------------------------===//
// Asynchronous operations and their waits
//===----------------------------------------------------------------------===//

Completion MmaIssueOp::getCompletion() { return Completion::Products; }
Completion FetchStartOp::getCompletion() { return Completion::Fetches; }
Completion CopyStartOp::getCompletion() { return Completion::Barrier; }
Completion TmaLoadOp::getCompletion() { return Completion::Barrier; }
Completion TmaStoreOp::getCompletion() { return Completion::EndOfRole; }

Completion MmaAwaitOp::getAwaited() { return Completion::Products; }
int64_t MmaAwaitOp::getNumLeft() { return getLeave(); }
Completion MmaRetireOp::getAwaited() { return Completion::Products; }
int64_t MmaRetireOp::getNumLeft() { return getLeave(); }
Completion FetchAwaitOp::getAwaited() { return Completion::Fetches; }
int64_t FetchAwaitOp::getNumLeft() { return getLeave(); }
