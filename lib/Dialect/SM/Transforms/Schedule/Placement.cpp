//===- Placement.cpp - Order of the ops of a loop ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "Roles/MultipliedReads.h"

using namespace tessera;
using namespace tessera::sm;

Placement::Nodes Placement::getNeeded(unsigned node) const {
  Nodes needed;
  if (!placed.contains(node))
    needed.insert(node);
  for (unsigned next = 0; next < needed.size(); ++next)
    for (const Dependence &dependence : graph.getDependences(needed[next]))
      if (DependenceGraph::getSlack(dependence, stages) == 0 &&
          !placed.contains(dependence.before))
        needed.insert(dependence.before);
  return needed;
}

unsigned Placement::countAwaits(MmaIssueOp product) const {
  return llvm::count_if(
      getNeeded(graph.getNumber(product)), [&](unsigned node) {
        return isa<MmaAwaitOp, MmaRetireOp>(graph.getOps()[node]);
      });
}

bool Placement::isWork(unsigned node) const {
  return !isa<MmaIssueOp, MmaAwaitOp, MmaRetireOp, RingReleaseOp>(
      graph.getOps()[node]);
}

bool Placement::isReady(unsigned node) const {
  return llvm::all_of(
      graph.getDependences(node), [&](const Dependence &dependence) {
        return DependenceGraph::getSlack(dependence, stages) != 0 ||
               placed.contains(dependence.before);
      });
}

bool Placement::place(Nodes needed) {
  while (!needed.empty()) {
    std::optional<unsigned> first;
    for (unsigned node : needed)
      if ((!first || node < *first) && isReady(node))
        first = node;
    if (!first)
      return false;
    placed.insert(*first);
    needed.remove(*first);
    placeReleases();
  }
  return true;
}

/// Checks whether all values read of the slot of `release` are in use: then the
/// release waits for no load. If a product multiplies all of them, the reads
/// are complete: no load is waited for then, and no op comes between the issue
/// of the product and its await.
bool Placement::isReadInUse(RingReleaseOp release) const {
  int64_t stage = stages[graph.getNumber(release)];
  auto isMultiplied = [&](SmemLoadOp read) {
    auto product = dyn_cast_or_null<MmaIssueOp>(findReleasing(read));
    if (!product)
      return true;
    unsigned completion = graph.getNumber(graph.getCompletion(product));
    return stages[completion] != stage || placed.contains(completion);
  };
  auto isWaiting = [&](Operation *op) {
    return !op->hasTrait<OpTrait::IsTerminator>() &&
           !placed.contains(graph.getNumber(op));
  };
  return llvm::none_of(release.getSlot().getUsers(), [&](Operation *tile) {
    return isa<SlotTileOp>(tile) &&
           llvm::any_of(tile->getUsers(), [&](Operation *reader) {
             auto read = dyn_cast<SmemLoadOp>(reader);
             return read && !read.use_empty() &&
                    (!isMultiplied(read) ||
                     llvm::all_of(read->getUsers(), isWaiting));
           });
  });
}

/// Places releases of slots as early as possible: another role waits for them.
void Placement::placeReleases() {
  for (unsigned node = 0; node < stages.size(); ++node)
    if (auto release = dyn_cast<RingReleaseOp>(graph.getOps()[node]))
      if (isReady(node) && isReadInUse(release))
        placed.insert(node);
}

bool Placement::drain() {
  for (unsigned node = 0; node < stages.size(); ++node) {
    auto issue = dyn_cast<MmaIssueOp>(graph.getOps()[node]);
    if (!issue || !placed.contains(node))
      continue;
    unsigned completion = graph.getNumber(graph.getCompletion(issue));
    Nodes needed = getNeeded(completion);
    if (llvm::any_of(needed,
                     [&](unsigned other) {
                       return isa<MmaIssueOp>(graph.getOps()[other]);
                     }) ||
        !place(needed))
      return false;
  }
  return true;
}

bool Placement::placeAwait() {
  // Products complete in the order of their issues.
  auto getAge = [&](unsigned node) {
    auto await = dyn_cast<MmaAwaitOp>(graph.getOps()[node]);
    Operation *issue = await ? await.getPending().getDefiningOp() : nullptr;
    auto *found =
        issue ? llvm::find(placed, graph.getNumber(issue)) : placed.end();
    return found - placed.begin();
  };
  std::optional<unsigned> oldest;
  for (unsigned node = 0; node < stages.size(); ++node)
    if (isa<MmaAwaitOp, MmaRetireOp>(graph.getOps()[node]) &&
        !placed.contains(node) && isReady(node) &&
        (!oldest || getAge(node) < getAge(*oldest)))
      oldest = node;
  if (!oldest)
    return false;
  placed.insert(*oldest);
  placeReleases();
  return true;
}

bool Placement::placeReady() {
  bool isAnyPlaced = false;
  for (bool changes = true; changes;) {
    changes = false;
    for (bool isOperand : {true, false})
      for (unsigned node = 0; node < stages.size() && !changes; ++node)
        if (!placed.contains(node) && isReady(node) &&
            graph.isOperandInFlight(node) == isOperand && isWork(node))
          changes = placed.insert(node);
    placeReleases();
    isAnyPlaced |= changes;
  }
  return isAnyPlaced;
}

/// Checks whether `node` depends on the result of a product.
bool Placement::isComputed(unsigned node) const {
  Nodes before;
  before.insert(node);
  for (unsigned next = 0; next < before.size(); ++next) {
    if (isa<MmaAwaitOp, MmaRetireOp>(graph.getOps()[before[next]]))
      return true;
    for (const Dependence &dependence : graph.getDependences(before[next])) {
      Operation *op = graph.getOps()[dependence.before];
      if (DependenceGraph::getSlack(dependence, stages) == 0 ||
          llvm::is_contained(op->getUsers(), graph.getOps()[before[next]]))
        before.insert(dependence.before);
    }
  }
  return false;
}

void Placement::placeComputed(bool isOwn) {
  auto isPlaceable = [&](unsigned node) {
    return isWork(node) && (!isOwn || isOfOneWarpgroup(graph.getOps()[node]));
  };
  for (bool isOperand : {true, false})
    for (unsigned node = 0; node < stages.size(); ++node) {
      if (placed.contains(node) || graph.isOperandInFlight(node) != isOperand ||
          !isComputed(node))
        continue;
      Nodes needed = getNeeded(node);
      if (llvm::all_of(needed, isPlaceable))
        place(needed);
    }
}

void Placement::placeVectors() {
  for (auto [node, op] : llvm::enumerate(graph.getOps())) {
    auto read = dyn_cast<SmemLoadOp>(op);
    if (!read || read.getType().getRank() != 1 || placed.contains(node))
      continue;
    Nodes needed = getNeeded(node);
    if (llvm::all_of(needed, [&](unsigned other) {
          Operation *before = graph.getOps()[other];
          return isa<RingWaitOp, SlotTileOp, SmemLoadOp>(before);
        }))
      place(needed);
  }
}

void Placement::placeTurns(bool isTaken) {
  for (auto [node, op] : llvm::enumerate(graph.getOps()))
    if (isTaken ? isa<PingPongWaitOp>(op) : isa<PingPongPassOp>(op))
      placed.insert(node);
}

Reason Placement::placeRest() {
  for (bool places = true; places;) {
    places = placeAwait();
    places |= placeReady();
  }
  if (placed.size() == stages.size())
    return Reason::none();
  return "its scheduled ops wait for each other";
}
