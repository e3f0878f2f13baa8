//===- Divergence.cpp - Threads of a warp part and meet ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
  unsigned target = op->target, after = split.next + 1;
  if (taken == split.lanes || !taken) {
    split.next = taken ? target : after;
    settle(split);
    return;
  }
  Lanes others = split.lanes & ~taken;
  Split *parent = &split;
  unsigned meet = op->meet;
  if (meet == kNowhere || meet == split.meet) {
    // They meet where it would have met others anyway.
    parent = split.parent;
    meet = split.meet;
    if (parent)
      ++parent->children;
    Split &second = splits.emplace_back();
    second = {others, after, meet, parent};
    split.lanes = taken;
    split.next = target;
    settle(second);
    settle(split);
    return;
  }
  split.next = meet;
  split.lanes = 0;
  split.children = 2;
  Split &first = splits.emplace_back();
  first = {taken, target, meet, parent};
  Split &second = splits.emplace_back();
  second = {others, after, meet, parent};
  settle(first);
  settle(second);
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
