//===- Divergence.cpp - Divergence of a warp's threads ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp is a tree of splits: threads with one position. A divergent branch
// replaces the threads of a split by child splits, which reconverge at the
// immediate post-dominator of the branch. A child that arrives there, or loses
// its last thread, leaves the tree; after the last child, the parent continues
// with the gathered threads. If the point of reconvergence is unknown or that
// of the parent, the children become siblings instead, which keeps the tree
// small in loops.
//
// Invariant: a split with children has no threads of its own, and `children` is
// their number.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "tessera/Emulator/ControlFlow.h"

using namespace tessera::emu;

void Warp::drop(Split &split) {
  splits.remove_if([&](const Split &other) { return &other == &split; });
}

void Warp::settle(Split &split) {
  Split *parent = split.parent;
  bool hasCome = split.lanes && split.next == split.meet;
  if (split.children || (split.lanes && !hasCome))
    return;
  if (!parent) {
    if (!split.lanes)
      drop(split);
    return;
  }
  parent->gathered |= split.lanes;
  --parent->children;
  drop(split);
  if (parent->children)
    return;
  parent->lanes = parent->gathered;
  parent->gathered = 0;
  settle(*parent);
}

void Warp::branch(Split &split, Lanes taken) {
  SmallVector<Way, 2> ways;
  if (taken)
    ways.push_back({op->target, taken});
  if (Lanes others = split.lanes & ~taken)
    ways.push_back({split.next + 1, others});
  part(split, ways);
}

void Warp::part(Split &split, ArrayRef<Way> ways) {
  if (ways.size() == 1) {
    split.next = ways.front().target;
    settle(split);
    return;
  }
  Split *parent = &split;
  unsigned meet = op->meet;
  SmallVector<Split *, 4> parts;
  if (meet == kNowhere || meet == split.meet) {
    // The children reconverge where this split would have reconverged anyway.
    parent = split.parent;
    meet = split.meet;
    split.next = ways.front().target;
    split.lanes = ways.front().lanes;
    parts.push_back(&split);
    ways = ways.drop_front();
  } else {
    split.next = meet;
    split.lanes = 0;
  }
  for (const Way &way : ways) {
    if (parent)
      ++parent->children;
    Split &child = splits.emplace_back();
    child = {way.lanes, way.target, meet, parent};
    parts.push_back(&child);
  }
  for (Split *each : parts)
    settle(*each);
}

bool Warp::merge(Split &split) {
  if (split.hasTicket)
    return false;
  for (Split &other : splits) {
    if (&other == &split || other.children || other.hasTicket || !other.lanes ||
        other.next != split.next || other.parent != split.parent ||
        other.meet != split.meet)
      continue;
    split.lanes |= other.lanes;
    if (split.parent)
      --split.parent->children;
    drop(other);
    return true;
  }
  return false;
}

void Warp::leave(Split &split, Lanes lanes) {
  alive &= ~lanes;
  split.lanes &= ~lanes;
  if (isFinished())
    getCluster().arriveForEnded();
  if (split.lanes)
    ++split.next;
  settle(split);
}
