//===- RingReport.cpp - Rings of a kernel, and proofs -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes rings and queues by their users. A role that acquires slots or
// pushes words is a producer. Other roles that use the ring or queue are
// consumers.
//
//===----------------------------------------------------------------------===//

#include "RingReport.h"
#include "Roofline.h"

#include "tessera/Dialect/SM/IR/ProgressAttr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::tools;
using namespace tessera::sm;

using Names = SmallVector<std::string, 2>;

static void add(Names &names, std::string name) {
  if (!llvm::is_contained(names, name))
    names.push_back(std::move(name));
}

/// Returns the name of the parameter `global`.
static std::string getName(KernelOp kernel, Value global) {
  auto argument = dyn_cast<BlockArgument>(global);
  if (!argument || argument.getOwner()->getParentOp() != kernel)
    return "?";
  return ("'" + kernel.getParamName(argument.getArgNumber()) + "'").str();
}

/// Collects the tensors whose tiles fill the slots of `acquire`, in the order
/// of the tiles. For a tile that threads compute, collects the place where it
/// is filled in.
static void collectTensors(KernelOp kernel, RingAcquireOp acquire,
                           Names &names) {
  SmallVector<std::string, 2> byTile(
      acquire.getSlot().getType().getTiles().size());
  for (Operation *user : acquire->getUsers())
    if (auto tile = dyn_cast<SlotTileOp>(user))
      for (Operation *filler : tile->getUsers()) {
        if (auto copy = dyn_cast<CopyStartOp>(filler))
          byTile[tile.getIndex()] = getName(kernel, copy.getGlobal());
        else if (auto fetch = dyn_cast<FetchStartOp>(filler))
          byTile[tile.getIndex()] = getName(kernel, fetch.getGlobal());
        else if (isa<SlotStoreOp>(filler))
          byTile[tile.getIndex()] = "computed at " + getPlace(filler);
      }
  for (std::string &name : byTile)
    add(names, std::move(name));
}

/// Returns "'a', 'b': 4 slots of 24576 bytes, from 'load' to 'math'".
static std::string describe(StringRef what, int64_t slots, int64_t bytes,
                            ArrayRef<std::string> from,
                            ArrayRef<std::string> to) {
  return llvm::formatv("{0}: {1} {2} of {3} bytes, from {4} to {5}", what,
                       slots, slots == 1 ? "slot" : "slots", bytes,
                       llvm::join(from, ", "), llvm::join(to, ", "));
}

static void addRole(Operation *op, Names &names) {
  if (auto role = op->getParentOfType<RoleOp>())
    add(names, ("'" + role.getName() + "'").str());
}

static std::string describeRing(KernelOp kernel, RingAllocOp ring) {
  Names tensors, from, to;
  kernel.walk([&](Operation *op) {
    if (op->getNumOperands() == 0 || op->getOperand(0) != ring.getResult())
      return;
    if (auto acquire = dyn_cast<RingAcquireOp>(op)) {
      collectTensors(kernel, acquire, tensors);
      addRole(op, from);
    } else if (isa<RingWaitOp>(op)) {
      addRole(op, to);
    }
  });
  int64_t bytes = 0;
  for (SmemType tile : ring.getType().getTiles())
    bytes += tile.getBytes();
  return describe(llvm::join(tensors, ", "), ring.getType().getSlots(), bytes,
                  from, to);
}

static std::string describeQueue(KernelOp kernel, QueueAllocOp queue) {
  Names from, to;
  kernel.walk([&](Operation *op) {
    if (llvm::is_contained(op->getOperands(), queue.getResult()))
      addRole(op, isa<QueuePushOp>(op) ? from : to);
  });
  return describe("numbers of programs", queue.getType().getCount(),
                  /*bytes=*/4, from, to);
}

static std::string describePlace(Operation *op) {
  std::string place = op ? getPlace(op) : "";
  return place.empty() ? "" : " at " + place;
}

bool RingReport::isOf(KernelOp kernel) {
  return kernel.getForm() == Form::Scheduled &&
         !kernel.getBody().getOps<RoleOp>().empty() &&
         !kernel
              .walk([](Operation *op) {
                return op->hasAttr(kOpScheduleAttrName)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

RingReport::RingReport(KernelOp kernel) {
  auto add = [](std::vector<std::string> &lines, std::string text,
                Operation *op) {
    if (!text.empty())
      lines.push_back(text + describePlace(op));
  };
  for (auto ring : kernel.getBody().getOps<RingAllocOp>())
    add(rings, describeRing(kernel, ring), ring);
  for (auto queue : kernel.getBody().getOps<QueueAllocOp>())
    add(rings, describeQueue(kernel, queue), queue);
}

std::vector<std::string> tools::describeProgress(KernelOp kernel) {
  auto text = kernel->getAttrOfType<StringAttr>(kProgressAttrName);
  if (!text)
    return {};
  if (text.getValue() == kProvenProgress)
    return {
        "proven that no role waits for ever, for all numbers of iterations"};
  return {"not proven that no role waits for ever (tile-run --device sim tests "
          "a launch): " +
          text.getValue().str()};
}
