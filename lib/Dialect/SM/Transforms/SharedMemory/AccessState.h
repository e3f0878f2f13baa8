//===- AccessState.h - Accesses that are not yet ordered --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of an agent's threads to shared memory that are not yet ordered
// for all of them. Method: lattice dataflow. The least element is "nothing".
// All rules of sm.barrier and sm.fence are here; the walk over a kernel is in
// FencePlacement.h.
//
// An access is identified by its op, so that an op in a loop has one entry. The
// entry represents the newest execution: older executions are ordered wherever
// the newest one is.
//
// - A barrier orders all accesses that are complete. A generic write that was
//   not fenced stays: generic accesses may follow it, asynchronous ones may
//   not.
// - A fence orders writes of its thread before accesses of asynchronous
//   operations that come after the next barrier.
// - Products complete in order; an await or retire that leaves n of them in
//   flight completes those after which n were issued. They are complete for the
//   warpgroup that waited, so that a barrier is needed still.
// - A fetch that has started writes at one of the awaits after it, so its bytes
//   count as written there; the accesses that must be ordered before it are
//   checked where it starts. In between it is in flight, and other buffers must
//   not share its memory.
// - A wait for a full slot of a ring comes after all earlier accesses to this
//   slot: the copy that filled it waited for the slot to be released by all
//   its users, and they release a slot after their accesses to it. A wait for
//   an empty slot comes after them for the same reason, and after all writes
//   of the warps of its role to the slot: users wait for these writes.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_ACCESSSTATE_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_ACCESSSTATE_H

#include "SharedAccesses.h"

#include <map>
#include <set>
#include <tuple>

namespace tessera::sm {

/// The ordering that must precede an op; a larger one includes the smaller.
enum class Need { Nothing, Barrier, FenceAndBarrier };

/// Checks whether `op` is a conversion, reduction or scan through scratch
/// memory: its barriers come before its first access, and between writes and
/// reads.
bool hasOwnBarriers(const SharedAccesses &accesses, Operation *op);

class AccessState {
public:
  explicit AccessState(const SharedAccesses &accesses) : accesses(&accesses) {}

  bool operator==(const AccessState &other) const {
    return entries == other.entries && lastBarrier == other.lastBarrier;
  }
  bool empty() const { return entries.empty(); }

  /// Returns the ordering that must precede access number `access`. If the
  /// reason is an operation in flight, which no ordering helps, it goes to
  /// `inFlight`.
  Need getNeed(unsigned access, Operation *&inFlight) const;
  /// Returns the ordering that must precede `arrive`: there, a thread of each
  /// warpgroup declares that the warpgroup has finished with a slot.
  Need getNeed(MbarrierArriveOp arrive) const;
  /// Returns the ordering that must precede a role, which may access anything.
  Need getNeedOfRoles() const;

  /// The accesses of `op`, whose order to those before is given.
  void perform(Operation *op);
  /// One that is placed before `op`, if that is given.
  void addBarrier(Operation *op = nullptr);
  void addFence();
  /// Returns the op before which the last barrier is placed, if that is the
  /// last one on all ways.
  Operation *getLastBarrier() const { return lastBarrier; }
  /// Updates the state as if there were a fence before the last barrier.
  void addFenceToLastBarrier();
  /// After an await or retire.
  void completeProducts(int64_t leave);
  /// After an await that leaves none.
  void completeFetches();
  void waitForStage(MbarrierWaitOp wait);

  void join(const AccessState &other);
  /// At the start of an iteration of `body`, whose values are about to be
  /// others.
  void startIteration(Region &body);

private:
  /// More products than this are never in flight.
  static constexpr int64_t kMaxAge = 64;

  /// Values; in an order, so that states can be compared.
  using Indices = std::set<const void *>;

  struct Entry {
    /// Of a write: how far a fence orders it before asynchronous accesses.
    enum Fence { Unfenced, Fenced, FencedForAll };
    static constexpr int64_t kComplete = -1, kUntilEnd = -2;

    /// Whether there is a barrier after the access.
    bool isOrdered = false;
    Fence fence = Unfenced;
    /// How many products were issued after this one, at least, while it is in
    /// flight.
    int64_t age = kComplete;
    /// Whether executions of an iteration before count, with their indices.
    bool isOfOldIteration = false;
    /// Indices of slots whose newest filling comes after the access.
    Indices before;

    bool isInFlight() const { return age != kComplete; }
    bool operator==(const Entry &other) const {
      return std::tie(isOrdered, fence, age, isOfOldIteration, before) ==
             std::tie(other.isOrdered, other.fence, other.age,
                      other.isOfOldIteration, other.before);
    }
  };

  void add(unsigned access, Entry entry);
  bool isOfOtherStage(const SharedAccess &access, const Entry &entry,
                      MbarrierArriveOp arrive) const;

  const SharedAccesses *accesses;
  std::map<unsigned, Entry> entries;
  Operation *lastBarrier = nullptr;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SHAREDMEMORY_ACCESSSTATE_H
