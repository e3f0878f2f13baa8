//===- SharedAccesses.cpp - Accesses to shared memory -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedAccesses.h"

#include "tessera/Dialect/SM/IR/Rings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

ArrayRef<unsigned> SharedAccesses::of(Operation *op) const {
  auto found = numbers.find(op);
  return found == numbers.end() ? ArrayRef<unsigned>() : found->second;
}

//===----------------------------------------------------------------------===//
// Where a tile lies
//===----------------------------------------------------------------------===//

/// Returns the values that may arrive in `value` over the edges of a loop or
/// condition, or nothing if these are not known.
static std::optional<SmallVector<Value>> getIncoming(Value value) {
  SmallVector<Value> incoming;
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp()
                           : cast<OpResult>(value).getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    int64_t number = argument ? argument.getArgNumber() - 1
                              : cast<OpResult>(value).getResultNumber();
    if (number < 0)
      return std::nullopt;
    return SmallVector<Value>{loop.getInitArgs()[number],
                              loop.getYieldedValues()[number]};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return SmallVector<Value>{branch.thenYield().getOperand(number),
                              branch.elseYield().getOperand(number)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (!argument)
      return SmallVector<Value>{
          loop.getConditionOp()
              .getArgs()[cast<OpResult>(value).getResultNumber()]};
    unsigned number = argument.getArgNumber();
    if (argument.getOwner() == loop.getAfterBody())
      return SmallVector<Value>{loop.getConditionOp().getArgs()[number]};
    return SmallVector<Value>{loop.getInits()[number],
                              loop.getYieldOp().getOperand(number)};
  }
  return std::nullopt;
}

/// Returns the ops that make what `tile` may be; a null one if there are
/// others.
static llvm::SetVector<Operation *> getOrigins(Value tile) {
  llvm::SetVector<Operation *> origins;
  llvm::SetVector<Value> values;
  values.insert(tile);
  for (size_t next = 0; next < values.size(); ++next) {
    Operation *definition = values[next].getDefiningOp();
    if (isa_and_present<SharedMemoryOpInterface, SlotsAtOp>(definition))
      origins.insert(definition);
    else if (std::optional<SmallVector<Value>> incoming =
                 getIncoming(values[next]))
      values.insert_range(*incoming);
    else
      origins.insert(nullptr);
  }
  return origins;
}

static bool isAfter(Value index, Value other) {
  auto after = index.getDefiningOp<SlotAfterOp>();
  return after && after.getIndex() == other;
}

bool SharedAccess::isOfOtherStage(const SharedAccess &other) const {
  if (!isa_and_present<SlotsAllocOp>(buffer) || buffer != other.buffer ||
      !index || !other.index)
    return false;
  return isAfter(index, other.index) || isAfter(other.index, index);
}

void SharedAccesses::addBytes(Operation *op, AccessKind kind, int64_t first,
                              int64_t bytes) {
  numbers[op].push_back(accesses.size());
  accesses.push_back({op, kind, first, first + bytes, op, Value()});
}

void SharedAccesses::addTile(Operation *op, AccessKind kind, Value tile) {
  auto type = cast<SmemType>(tile.getType());
  for (Operation *origin : getOrigins(tile)) {
    SharedAccess access = {op,
                           kind,
                           0,
                           std::numeric_limits<int64_t>::max(),
                           /*buffer=*/nullptr,
                           /*index=*/Value()};
    if (auto at = dyn_cast_or_null<SlotsAtOp>(origin)) {
      if (auto slots = at.getSlots().getDefiningOp<SlotsAllocOp>()) {
        access.buffer = slots;
        access.index = at.getIndex();
        access.first = *slots.getAddress();
        int64_t count = slots.getType().getCount();
        std::optional<int64_t> index = getConstantIntValue(at.getIndex());
        if (index && *index >= 0 && *index < count) {
          access.first += *index * type.getBytes();
          count = 1;
        }
        access.end = access.first + count * type.getBytes();
      }
    } else if (origin) {
      access.buffer = origin;
      access.first = *cast<SharedMemoryOpInterface>(origin).getSharedAddress();
      access.end = access.first + type.getBytes();
    }
    numbers[op].push_back(accesses.size());
    accesses.push_back(access);
  }
}

//===----------------------------------------------------------------------===//
// Accesses of an op
//===----------------------------------------------------------------------===//

/// Returns the op that contains the code of the threads that execute `op`.
static Operation *getAgent(Operation *op) {
  RoleOp role = getRole(op);
  return role ? role.getOperation() : op->getParentOfType<KernelOp>();
}

void SharedAccesses::add(Operation *op) {
  // The tiles of fetches are written when they are awaited, at the latest. Any
  // fetch of the role may be the one that `op` awaits.
  if (getAwaited(op) == Completion::Fetches)
    getAgent(op)->walk([&](SharedAccessOpInterface start) {
      if (getCompletion(start) == Completion::Fetches)
        for (const SharedUse &use : start.getSharedUses())
          addTile(op, use.kind, use.tile);
    });
  // A role may access anything.
  if (isa<RoleOp>(op))
    addBytes(op, AccessKind::Write, 0, std::numeric_limits<int64_t>::max());
  auto access = dyn_cast<SharedAccessOpInterface>(op);
  if (!access)
    return;
  for (const SharedUse &use : access.getSharedUses()) {
    if (use.tile) {
      addTile(op, use.kind, use.tile);
      continue;
    }
    auto scratch = cast<SharedMemoryOpInterface>(op);
    addBytes(op, use.kind, *scratch.getSharedAddress(),
             scratch.getSharedBytes());
  }
}

FailureOr<SharedAccesses> SharedAccesses::get(KernelOp kernel) {
  WalkResult missing = kernel.getBody().walk([](Operation *op) -> WalkResult {
    auto memory = dyn_cast<SharedMemoryOpInterface>(op);
    if (!memory || memory.getSharedAddress() || memory.getSharedBytes() == 0)
      return success();
    return op->emitOpError() << "expected an address in shared memory; run "
                                "'sm-allocate-smem' first";
  });
  if (missing.wasInterrupted())
    return failure();
  SharedAccesses result;
  kernel.getBody().walk([&](Operation *op) {
    RoleOp role = getRole(op);
    // One thread is ordered with itself.
    if (!role || !role.getElected())
      result.add(op);
  });
  for (auto &[number, planned] : findRings(kernel))
    if (planned.full && planned.empty)
      for (SlotsAllocOp slots : planned.slots)
        result.rings[slots] = {planned.full, planned.empty};
  return result;
}
