//===- Plan.cpp - Entries of a plan in a kernel -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Plan.h"

#include "tessera/Layout/RegisterTile.h"
#include "tessera/Layout/TmaBoxes.h"

using namespace tessera;
using namespace tessera::sm;

StringRef sm::getPlanEntryName(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(kPlanEntryAttrName);
  return name ? name.getValue() : StringRef();
}

bool sm::namesPlanEntry(Operation *op) {
  return !isa<StoreOp, AtomicOp, TmaStoreOp>(op);
}

/// Returns the plan of the kernel of `op`, if that names an entry of it.
static PlanAttr findPlan(Operation *op) {
  return getPlanEntryName(op).empty()
             ? PlanAttr()
             : op->getParentOfType<KernelOp>().getPlanAttr();
}

PlannedRingAttr sm::findRing(Operation *op) {
  PlanAttr plan = namesPlanEntry(op) ? findPlan(op) : PlanAttr();
  return plan ? plan.findRing(getPlanEntryName(op)) : PlannedRingAttr();
}

PlannedStoreAttr sm::findStore(Operation *op) {
  PlanAttr plan = namesPlanEntry(op) ? PlanAttr() : findPlan(op);
  return plan ? plan.findStore(getPlanEntryName(op)) : PlannedStoreAttr();
}

void sm::dropPlan(KernelOp kernel) {
  kernel.removePlanAttr();
  kernel.walk([](Operation *op) { op->removeAttr(kPlanEntryAttrName); });
}

PlannedSlots sm::findPlannedSlots(KernelOp kernel) {
  PlannedSlots slots;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (namesPlanEntry(op))
      if (auto name = op->getAttrOfType<StringAttr>(kPlanEntryAttrName))
        slots[{name, op->getBlock()}].push_back(op);
  });
  return slots;
}

SmemType sm::getStagedType(RankedTensorType tile) {
  if (tile.getRank() > 1)
    return SmemType::getWidest(tile);
  return SmemType::get(tile.getContext(), tile.getShape(),
                       tile.getElementType(), layout::Swizzle::None);
}

SmemStoreOp sm::findGatherStore(LoadOp load) {
  bool gathers = llvm::any_of(load.getIndices(), [](Value index) {
    return isa<RankedTensorType>(index.getType());
  });
  if (gathers)
    for (Operation *user : load->getUsers())
      if (auto smemStore = dyn_cast<SmemStoreOp>(user);
          smemStore && smemStore->getBlock() == load->getBlock())
        return smemStore;
  return nullptr;
}

SmemType sm::getFetchedType(Operation *op) {
  if (auto fetch = dyn_cast<FetchOp>(op))
    return fetch.getType();
  if (auto smemStore = dyn_cast<SmemStoreOp>(op))
    return smemStore.getType();
  // A product wants what is gathered in its own way.
  if (auto load = dyn_cast<LoadOp>(op))
    if (SmemStoreOp smemStore = findGatherStore(load))
      return smemStore.getType();
  return getStagedType(cast<RankedTensorType>(op->getResult(0).getType()));
}

SmemType sm::getStoreRingType(Operation *op) {
  auto tile = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!tile || tile.getRank() != 2)
    return {};
  SmemType handed = SmemType::getWidest(tile);
  llvm::Expected<layout::TmaBoxes> boxes =
      layout::getTmaBoxes(handed.getLayout(), handed.getElementBytes());
  if (boxes)
    return handed;
  llvm::consumeError(boxes.takeError());
  return {};
}

std::optional<int64_t> sm::getStoreColumns(RankedTensorType tile,
                                           int64_t warpgroups) {
  int64_t bytes = getElementBytes(tile.getElementType());
  int64_t parts =
      tile.getRank() == 2
          ? layout::getProductSplit(tile.getDimSize(0), warpgroups).columns
          : 1;
  for (int64_t span : {128, 64, 32})
    if (tile.getDimSize(tile.getRank() - 1) % (span / bytes * parts) == 0)
      return span / bytes;
  return std::nullopt;
}
