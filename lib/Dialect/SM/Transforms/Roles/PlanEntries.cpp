//===- PlanEntries.cpp - Rings and stores as entries of a plan --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanEntries.h"

#include "tessera/Dialect/SM/IR/Plan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// Returns the parameter that `op` accesses.
static StringRef getTensorName(Operation *op) {
  Value global =
      llvm::TypeSwitch<Operation *, Value>(op).Case<FetchOp, StoreOp, AtomicOp>(
          [](auto access) { return access.getGlobal(); });
  auto argument = cast<BlockArgument>(global);
  return op->getParentOfType<KernelOp>().getParamName(argument.getArgNumber());
}

/// Returns the names of the tensors that `ops` access.
static std::string joinTensorNames(ArrayRef<Operation *> ops) {
  llvm::SetVector<StringRef> tensors;
  for (Operation *op : ops)
    tensors.insert(getTensorName(op));
  return llvm::join(tensors, "_");
}

std::string PlanWriter::getUnique(llvm::StringSet<> &taken, StringRef name) {
  std::string unique = name.str();
  for (int64_t number = 2; !taken.insert(unique).second; ++number)
    unique = (name + "_" + Twine(number)).str();
  return unique;
}

StringRef PlanWriter::getName(Operation *op) const {
  auto name = names.find(op);
  return name == names.end() ? StringRef() : StringRef(name->second);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void PlanWriter::addRings(const RingPlan &plan, const ProducerLoads &staged) {
  SmallVector<std::string> nameOf(plan.rings.size());
  for (const FetchGroup &group : plan.groups) {
    std::string &name = nameOf[group.ring];
    auto ops = llvm::map_to_vector(group.fetches,
                                   [](const RingFetch &fetch) -> Operation * {
                                     return FetchOp(fetch.op);
                                   });
    if (name.empty())
      name = getUnique(ringNames, joinTensorNames(ops));
    for (Operation *op : ops) {
      Operation *brought = staged.getBrought(cast<FetchOp>(op));
      setName(brought ? brought : op, name);
    }
  }
  for (auto [name, ring] : llvm::zip(nameOf, plan.rings))
    rings.push_back(
        PlannedRingAttr::get(context, name, ring.slots,
                             ring.isByThreads ? Filler::Threads : Filler::Tma));
}

void PlanWriter::addRings(ArrayRef<ComputedRing> computed) {
  for (const ComputedRing &ring : computed) {
    bool isExchange = ring.filler == Filler::Math;
    std::string name =
        getUnique(ringNames, isExchange ? "exchange" : "transformed");
    for (Operation *op : ring.ops)
      setName(op, name);
    rings.push_back(
        PlannedRingAttr::get(context, name, ring.slots, ring.filler));
  }
}

void PlanWriter::addStores(ArrayRef<StoreChoice> added) {
  llvm::MapVector<std::pair<Operation *, SmemType>, SmallVector<StoreChoice>>
      groups;
  for (const StoreChoice &store : added)
    if (store.slots > 0)
      groups[{nullptr, getStoreRingType(store.op)}].push_back(store);
    else
      groups[{store.op, SmemType()}].push_back(store);
  for (auto &[key, group] : groups) {
    auto ops = llvm::map_to_vector(
        group, [](const StoreChoice &store) { return store.op; });
    std::string name = getUnique(storeNames, joinTensorNames(ops));
    for (Operation *op : ops)
      setName(op, name);
    const StoreChoice &first = group.front();
    bool byRole = first.slots > 0;
    stores.push_back(PlannedStoreAttr::get(
        context, name, byRole ? first.slots : first.buffers, byRole));
  }
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

PlannedRing sm::readRing(PlannedRingAttr entry) {
  PlannedRing ring;
  ring.isByThreads = entry.getByThreads();
  ring.slots = entry.getSlots();
  return ring;
}

SmallVector<ComputedRing> sm::readComputedRings(KernelOp kernel,
                                                Filler filler) {
  llvm::MapVector<PlannedRingAttr, ComputedRing> found;
  kernel.walk([&](SmemStoreOp smemStore) {
    PlannedRingAttr entry = findRing(smemStore);
    if (!entry || entry.getFiller() != filler)
      return;
    ComputedRing &ring = found[entry];
    ring.filler = filler;
    ring.ops.push_back(smemStore);
    ring.slots = entry.getSlots();
  });
  return llvm::map_to_vector(found,
                             [](const auto &entry) { return entry.second; });
}
