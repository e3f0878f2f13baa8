//===- AccessState.cpp - Accesses that are not yet ordered ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transfer functions and the join of the lattice in AccessState.h: the
// ordering that an access needs in a state, and the state after each op.
//
// Invariant: a state may have more unordered accesses than an execution, never
// fewer. So a missing barrier is always found.
//
//===----------------------------------------------------------------------===//

#include "AccessState.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether `op` starts a fetch by threads.
static bool startsFetch(Operation *op) {
  return getCompletion(op) == Completion::Fetches;
}

/// Checks whether copies that `op` has started read its scratch memory, for
/// which its own threads are ordered.
static bool startsStore(Operation *op) {
  return getCompletion(op) == Completion::EndOfRole;
}

bool sm::hasOwnBarriers(const SharedAccesses &accesses, Operation *op) {
  auto memory = dyn_cast<SharedMemoryOpInterface>(op);
  return memory && memory.isScratch() && !getCompletion(op) &&
         !accesses.of(op).empty();
}

//===----------------------------------------------------------------------===//
// Needs of accesses
//===----------------------------------------------------------------------===//

Need AccessState::getNeed(unsigned number, Operation *&inFlight) const {
  const SharedAccess &access = (*accesses)[number];
  Need need = Need::Nothing;
  // It reads what the op has written, fenced, and met at barriers of its own.
  if (startsStore(access.op) && access.kind == AccessKind::AsyncRead)
    return need;
  // The fetches were ordered where they started.
  if (getAwaited(access.op) == Completion::Fetches)
    return need;
  for (const auto &[earlierNumber, entry] : entries) {
    const SharedAccess &earlier = (*accesses)[earlierNumber];
    bool isWrite = isThreadWrite(access.kind);
    bool wasWrite = isThreadWrite(earlier.kind);
    if (!access.meets(earlier) || !(isWrite || wasWrite))
      continue;
    if (access.kind == AccessKind::Atomic && earlier.kind == AccessKind::Atomic)
      continue;
    if (startsFetch(earlier.op)) {
      if (access.buffer != earlier.buffer)
        inFlight = earlier.op;
      continue;
    }
    if (startsFetch(access.op) && !entry.isOfOldIteration &&
        access.isOfOtherStage(earlier))
      continue;
    // It waits for its own buffers.
    if (startsStore(access.op) && access.op == earlier.op)
      continue;
    if (access.buffer == earlier.buffer && access.index &&
        entry.before.count(access.index.getAsOpaquePointer()))
      continue;
    // Which of several slots a product reads is the ring's to know.
    if (entry.isInFlight() && !isa_and_present<SlotsAllocOp>(earlier.buffer))
      inFlight = earlier.op;
    if (access.kind != AccessKind::AsyncRead) {
      if (!entry.isOrdered)
        need = std::max(need, Need::Barrier);
    } else if (entry.fence != Entry::FencedForAll) {
      need =
          std::max(need, entry.fence == Entry::Unfenced ? Need::FenceAndBarrier
                                                        : Need::Barrier);
    }
  }
  return need;
}

/// Checks whether a wait for a slot of `full` with this index runs before `op`
/// whenever that does; within `loop`, if it is given.
static bool isAwaited(Value full, Value index, Operation *op,
                      Operation *loop = nullptr) {
  for (Operation *user : index.getUsers()) {
    auto wait = dyn_cast<MbarrierWaitOp>(user);
    if (!wait || wait.getBarrier() != full || wait.getIndex() != index)
      continue;
    Operation *ancestor = wait->getBlock()->findAncestorOpInBlock(*op);
    if (ancestor && wait->isBeforeInBlock(ancestor) &&
        (!loop || loop->isProperAncestor(wait)))
      return true;
  }
  return false;
}

/// Checks whether `arrive` certainly releases another slot than the accessed
/// one. Its slot belongs to another ring; or it was waited for before the
/// iteration, and the accessed slot within the iteration.
bool AccessState::isOfOtherStage(const SharedAccess &access, const Entry &entry,
                                 MbarrierArriveOp arrive) const {
  RingBarriers ring = accesses->getBarriers(access.buffer);
  if (!ring.full || arrive.getBarrier() == ring.full)
    return false;
  if (arrive.getBarrier() != ring.empty)
    return true;
  auto index = dyn_cast<BlockArgument>(arrive.getIndex());
  auto loop =
      index ? dyn_cast<scf::ForOp>(index.getOwner()->getParentOp()) : nullptr;
  if (!loop || index.getArgNumber() == 0 || !access.index ||
      access.index == index || entry.isOfOldIteration)
    return false;
  unsigned number = index.getArgNumber() - 1;
  return isAwaited(ring.full, loop.getInitArgs()[number], loop) &&
         isAwaited(ring.full, loop.getYieldedValues()[number],
                   loop.getBody()->getTerminator()) &&
         isAwaited(ring.full, access.index, access.op, loop);
}

Need AccessState::getNeed(MbarrierArriveOp arrive) const {
  Need need = Need::Nothing;
  for (const auto &[number, entry] : entries) {
    const SharedAccess &access = (*accesses)[number];
    if (startsFetch(access.op))
      continue;
    // The slot was waited for after the access.
    if (entry.before.count(arrive.getIndex().getAsOpaquePointer()))
      continue;
    // Each warp, or each thread, speaks for what it has read, or written and
    // fenced.
    if ((arrive.getWarps() || arrive.getFetches()) &&
        (access.kind == AccessKind::Read || entry.fence != Entry::Unfenced))
      continue;
    // Reads of tensor cores are complete by the await before the op, and other
    // buffers belong to this agent alone.
    if (access.kind == AccessKind::AsyncRead ||
        (access.buffer && !isa<SlotsAllocOp, ScratchOp>(access.buffer)) ||
        isOfOtherStage(access, entry, arrive))
      continue;
    bool isUnfenced =
        isThreadWrite(access.kind) && entry.fence == Entry::Unfenced;
    need = std::max(need, isUnfenced ? Need::FenceAndBarrier : Need::Barrier);
  }
  return need;
}

Need AccessState::getNeedOfRoles() const {
  Need need = Need::Nothing;
  for (const auto &[number, entry] : entries) {
    const SharedAccess &access = (*accesses)[number];
    if (isa<RoleOp>(access.op) || startsFetch(access.op))
      continue;
    bool isUnfenced =
        isThreadWrite(access.kind) && entry.fence == Entry::Unfenced;
    need = std::max(need, isUnfenced ? Need::FenceAndBarrier : Need::Barrier);
  }
  return need;
}

//===----------------------------------------------------------------------===//
// Effects of ops
//===----------------------------------------------------------------------===//

void AccessState::add(unsigned access, Entry entry) {
  auto [known, isNew] = entries.insert({access, entry});
  if (isNew)
    return;
  entry.isOfOldIteration |= known->second.isOfOldIteration;
  known->second = std::move(entry);
}

void AccessState::perform(Operation *op) {
  ArrayRef<unsigned> numbers = accesses->of(op);
  if (isa<MmaOp, MmaIssueOp>(op))
    for (auto &[number, entry] : entries)
      if (entry.age >= 0 && entry.age < kMaxAge)
        ++entry.age;
  if (hasOwnBarriers(*accesses, op))
    addBarrier();
  for (unsigned number : numbers) {
    const SharedAccess &access = (*accesses)[number];
    Entry entry;
    if (getCompletion(op) == Completion::Products)
      entry.age = 0;
    if (isThreadWrite(access.kind) && hasOwnBarriers(*accesses, op))
      entry.isOrdered = true;
    if (startsFetch(op))
      entry.age = Entry::kUntilEnd;
    if (startsStore(op)) {
      entry.fence = Entry::Fenced;
      // Without roles the op waits for its copies, else the end of the role.
      if (access.kind == AccessKind::AsyncRead && getRole(op))
        entry.age = Entry::kUntilEnd;
    }
    add(number, entry);
  }
  if (isa<MmaOp>(op))
    completeProducts(/*leave=*/0);
}

void AccessState::addBarrier(Operation *op) {
  lastBarrier = op;
  for (auto next = entries.begin(); next != entries.end();) {
    Entry &entry = next->second;
    entry.isOrdered = true;
    if (entry.fence == Entry::Fenced)
      entry.fence = Entry::FencedForAll;
    bool isWrite = isThreadWrite((*accesses)[next->first].kind);
    bool isDone =
        !entry.isInFlight() && (!isWrite || entry.fence == Entry::FencedForAll);
    next = isDone ? entries.erase(next) : std::next(next);
  }
}

void AccessState::addFence() {
  for (auto &[number, entry] : entries)
    if (entry.fence == Entry::Unfenced)
      entry.fence = Entry::Fenced;
}

void AccessState::addFenceToLastBarrier() {
  for (auto next = entries.begin(); next != entries.end();) {
    bool isWrite = isThreadWrite((*accesses)[next->first].kind);
    bool isBefore =
        isWrite && next->second.isOrdered && !next->second.isInFlight();
    next = isBefore ? entries.erase(next) : std::next(next);
  }
}

void AccessState::completeProducts(int64_t leave) {
  for (auto &[number, entry] : entries)
    if (entry.age >= leave) {
      entry.age = Entry::kComplete;
      entry.isOrdered = false;
    }
}

void AccessState::completeFetches() {
  for (auto next = entries.begin(); next != entries.end();)
    next = startsFetch((*accesses)[next->first].op) ? entries.erase(next)
                                                    : std::next(next);
}

void AccessState::waitForStage(MbarrierWaitOp wait) {
  for (auto &[number, entry] : entries) {
    RingBarriers ring = accesses->getBarriers((*accesses)[number].buffer);
    if (ring.full == wait.getBarrier() || ring.empty == wait.getBarrier())
      entry.before.insert(wait.getIndex().getAsOpaquePointer());
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void AccessState::join(const AccessState &other) {
  if (lastBarrier != other.lastBarrier)
    lastBarrier = nullptr;
  for (const auto &[number, theirs] : other.entries) {
    auto [known, isNew] = entries.insert({number, theirs});
    if (isNew)
      continue;
    Entry &ours = known->second;
    ours.isOrdered &= theirs.isOrdered;
    ours.fence = std::min(ours.fence, theirs.fence);
    if (ours.age == Entry::kUntilEnd || theirs.age == Entry::kUntilEnd)
      ours.age = Entry::kUntilEnd;
    else if (!ours.isInFlight() || !theirs.isInFlight())
      ours.age = std::max(ours.age, theirs.age);
    else
      ours.age = std::min(ours.age, theirs.age);
    ours.isOfOldIteration |= theirs.isOfOldIteration;
    Indices both;
    for (const void *index : ours.before)
      if (theirs.before.count(index))
        both.insert(index);
    ours.before = std::move(both);
  }
}

void AccessState::startIteration(Region &body) {
  lastBarrier = nullptr;
  for (auto &[number, entry] : entries) {
    entry.isOfOldIteration = true;
    Indices kept;
    for (const void *index : entry.before)
      if (!body.isAncestor(
              Value::getFromOpaquePointer(index).getParentRegion()))
        kept.insert(index);
    entry.before = std::move(kept);
  }
}
