//===- RingPlan.h - Grouping of fetches into rings --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fetches of one block that are needed until the same operation arrive
// together, as the tiles of one slot (a and b of a product). Others have rings
// of their own (keys and values). A vector that a tensor copy can bring joins
// the slot of a tile that needs it (the log-sum-exp arrives with queries).
// Copies of a loop (its peeled iterations, its masked tail) run one after the
// other, so they share their rings.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_RINGPLAN_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_RINGPLAN_H

#include "TmaFetch.h"

namespace tessera::sm {

/// Fetches of one block that fill one slot.
struct FetchGroup {
  SmallVector<RingFetch> fetches;
  /// The operation of their block after which nothing uses them.
  Operation *lastUse = nullptr;
  unsigned ring = 0;

  /// Where the slot is taken, in all roles.
  FetchOp getPlace() const { return fetches.back().op; }
  SmallVector<SmemType> getTiles() const;
  /// Keeps the slot until `use`, if that is later than all other uses.
  void extendTo(Operation *use);
  /// Checks whether products alone use the tiles.
  bool isOnlyMultiplied() const;
};

struct PlannedRing {
  SmallVector<SmemType> tiles;
  /// Whether threads fill the slots.
  bool isByThreads = false;
  /// Whether each warp releases slots once it has read them.
  bool isReleasedPerWarp = false;
  bool isInLoop = false;
  int64_t slots = 1;
};

struct RingPlan {
  SmallVector<FetchGroup> groups;
  SmallVector<PlannedRing> rings;
};

/// Sets the properties that follow from the groups of `plan`: whether rings are
/// in loops, and whether warps release them.
void describeRings(RingPlan &plan);

/// Groups `fetches`, given in program order, and gives each group a ring.
RingPlan planRings(ArrayRef<RingFetch> fetches);

/// Returns the operation of the block of `fetch` after which nothing uses its
/// tile; or why there is none.
OrReason<Operation *> findLastUse(FetchOp fetch);

/// Checks whether neither block contains the other: they run one after the
/// other.
bool areApart(Operation *a, Operation *b);

/// Checks whether a program executes `op` often. The loop over programs does
/// not count: it is the life of the CTA.
bool isInLoop(Operation *op);

/// Checks whether nobody needs a tile of `group` before all of them are there.
bool arrivesTogether(ArrayRef<RingFetch> group, FetchOp last);

/// Checks whether `use`, of a tile that was fetched before `fetch`, may as well
/// come after it: it reads the tile for ops after it.
bool canWaitFor(Operation *use, FetchOp fetch);

/// Sets the slots of all rings: of those in loops `wanted` (0: what fits, at
/// most `cost::kDefaultSlots`), or fewer if `available` bytes do not hold them.
/// Fails if not even one slot of each fits.
LogicalResult chooseSlots(RingPlan &plan, int64_t wanted, int64_t available,
                          bool isPersistent);

/// Returns the fetch of `fetches` whose slot should bring `vector` as well;
/// null if there is none. A product multiplies the fetched tile by a left
/// operand that is computed from the vector, so the slot is held for no longer.
/// The tile is used before the vector, so nothing waits for longer.
FetchOp findCarrier(Value vector, ArrayRef<RingFetch> fetches);

/// Checks whether `fetch` is a tensor copy of a vector.
bool isCopiedVector(const RingFetch &fetch);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_RINGPLAN_H
