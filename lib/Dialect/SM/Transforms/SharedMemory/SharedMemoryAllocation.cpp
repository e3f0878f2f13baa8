//===- SharedMemoryAllocation.cpp - Addresses in shared memory --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: give each buffer an address, so that buffers that are alive at the
// same time do not overlap. Buffers of different agents are always alive
// together.
//
// Method: live intervals over the text of the kernel, then first-fit placement
// in the order of alignment and size. An asynchronous use extends the interval
// to the op at which it is known to be complete. Without such an op the buffer
// is kept to the end of the agent. Copies of an op in the prologue and the
// epilogue of a pipelined loop have one interval and one address. The schedule
// orders each write after the reads of the iteration before.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/Transforms/SharedMemoryAllocation.h"

#include "tessera/Dialect/SM/IR/BufferNumber.h"
#include "tessera/Dialect/SM/IR/BufferText.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::sm;

static Operation *findRole(Operation *op) {
  return op->getParentOfType<RoleOp>();
}

SharedMemoryAllocation::SharedMemoryAllocation(KernelOp kernel)
    : kernel(kernel), hasRoles(!kernel.getBody().getOps<RoleOp>().empty()) {
  int64_t time = 0;
  kernel->walk([&](Operation *op, const WalkStage &smemStore) {
    if (smemStore.isBeforeAllRegions())
      times[op].first = time++;
    if (smemStore.isAfterAllRegions())
      times[op].last = time++;
  });
  kernel->walk([&](Operation *op) { addBuffer(op); });
}

void SharedMemoryAllocation::add(Operation *op, int64_t size, int64_t alignment,
                                 std::string what) {
  buffers.push_back(
      {op, size, alignment, findRole(op), times[op], std::move(what)});
}

void SharedMemoryAllocation::addBuffer(Operation *op) {
  auto memory = dyn_cast<SharedMemoryOpInterface>(op);
  int64_t bytes = memory ? memory.getSharedBytes() : 0;
  if (bytes == 0)
    return;
  add(op, bytes, memory.getSharedAlignment(), describeBuffer(memory));
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

static void extend(LifeInterval &alive, const LifeInterval &by) {
  alive.first = std::min(alive.first, by.first);
  alive.last = std::max(alive.last, by.last);
}

static Operation *getOutermostLoop(Operation *op, Operation *within) {
  Operation *outermost = nullptr;
  for (; op && op != within; op = op->getParentOp())
    if (isa<LoopLikeOpInterface>(op))
      outermost = op;
  return outermost;
}

/// The values that are what `use` is on the other side of the edges of `op`:
/// what regions take and what comes out.
static void addCarried(Operation *op, OpOperand &use,
                       llvm::SetVector<Value> &values) {
  auto branches = dyn_cast<RegionBranchOpInterface>(op);
  if (!branches)
    return;
  RegionBranchSuccessorMapping mapping;
  branches.getSuccessorOperandInputMapping(mapping);
  values.insert_range(mapping.lookup(&use));
}

/// `user` may be still reading `buffer` at the end of the agent, and in the
/// next iteration.
void SharedMemoryAllocation::keepToEnd(SharedBuffer &buffer, Operation *user) {
  Operation *agent = buffer.agent ? buffer.agent : kernel.getOperation();
  extend(buffer.alive, times[user]);
  buffer.alive.last = times[agent].last;
  if (Operation *loop = getOutermostLoop(user, agent))
    extend(buffer.alive, times[loop]);
}

/// Returns the op at which the asynchronous `user` is known to be complete.
/// Null if `user` is not asynchronous, or if that is not known and the buffer
/// is kept.
Operation *SharedMemoryAllocation::findCompletion(SharedBuffer &buffer,
                                                  Operation *user) {
  std::optional<Completion> completion = getCompletion(user);
  if (!completion)
    return nullptr;
  // A role keeps what its products read: sharing would take barriers.
  if (completion == Completion::Products && !buffer.agent &&
      user->hasOneUse()) {
    auto await = dyn_cast<MmaAwaitOp>(*user->user_begin());
    if (await && await->getBlock() == user->getBlock())
      return await;
  }
  if (completion == Completion::Fetches)
    for (Operation *op = user; op && !isa<RoleOp, KernelOp>(op);
         op = op->getParentOp())
      for (Operation *next = op; next; next = next->getNextNode())
        if (auto await = dyn_cast<AwaitOpInterface>(next))
          if (await.getAwaited() == completion && await.getNumLeft() == 0)
            return await;
  // It is awaited elsewhere, maybe an iteration later.
  keepToEnd(buffer, user);
  return nullptr;
}

LogicalResult SharedMemoryAllocation::findSlotsLife(SharedBuffer &buffer) {
  Value slots = buffer.op->getResult(0);
  for (Operation *user : slots.getUsers()) {
    auto at = dyn_cast<SlotsAtOp>(user);
    if (!at) {
      keepToEnd(buffer, user);
      continue;
    }
    extend(buffer.alive,
           times[slots.getParentBlock()->findAncestorOpInBlock(*user)]);
    if (failed(findLife(buffer, at.getResult())))
      return failure();
  }
  return success();
}

LogicalResult SharedMemoryAllocation::findLife(SharedBuffer &buffer,
                                               Value tile) {
  Operation *agent = buffer.agent ? buffer.agent : kernel.getOperation();
  llvm::SetVector<Value> values;
  values.insert(tile);
  Operation *carrier = nullptr; // a loop that takes the tile along
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      // Where the value is from outside of a loop, the loop is one stretch.
      Operation *stretch = value.getParentBlock()->findAncestorOpInBlock(*user);
      extend(buffer.alive, stretch ? times[stretch] : times[agent]);
      if (Operation *end = findCompletion(buffer, user))
        extend(buffer.alive, times[end]);
      if (user->hasTrait<OpTrait::IsTerminator>()) {
        Operation *parent = user->getParentOp();
        addCarried(parent, use, values);
        extend(buffer.alive, times[parent]);
        if (isa<LoopLikeOpInterface>(parent) && parent->isAncestor(buffer.op))
          carrier = parent;
      } else if (user->getNumRegions() > 0) {
        addCarried(user, use, values);
      }
    }
  }
  if (!carrier)
    return success();
  // Each iteration writes to the same address: nobody may look at the tile of
  // the iteration before any more.
  for (Value value : values) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner()->getParentOp() != carrier)
      continue;
    Operation *writer = argument.getOwner()->findAncestorOpInBlock(*buffer.op);
    for (Operation *user : argument.getUsers()) {
      Operation *reader = argument.getOwner()->findAncestorOpInBlock(*user);
      if (!writer || !reader || times[reader].last < times[writer].first)
        continue;
      InFlightDiagnostic error =
          buffer.op->emitError()
          << "writes a tile in shared memory that the loop has carried from "
             "the iteration before and still reads; expected the last read "
             "before it, or a ring";
      error.attachNote(user->getLoc()) << "read here";
      return error;
    }
  }
  return success();
}

LogicalResult SharedMemoryAllocation::findLives() {
  for (SharedBuffer &buffer : buffers) {
    Operation *agent = buffer.agent ? buffer.agent : kernel.getOperation();
    // The writer of a tile of `sm.scratch` waits for no agent.
    bool isStatic = isa<MbarrierAllocOp, WordsAllocOp, ScratchOp>(buffer.op) ||
                    (isa<SlotsAllocOp>(buffer.op) && hasRoles);
    if (isStatic || (hasRoles && !buffer.agent))
      buffer.alive = times[agent];
    else if ((isa<SlotsAllocOp>(buffer.op) && failed(findSlotsLife(buffer))) ||
             (isa<FetchOp, SmemStoreOp>(buffer.op) &&
              failed(findLife(buffer, buffer.op->getResult(0)))))
      return failure();
    else if (getCompletion(buffer.op) == Completion::EndOfRole && buffer.agent)
      keepToEnd(buffer, buffer.op);
  }
  uniteCopies();
  return success();
}

/// Gives copies of an op the same interval, the union of theirs.
void SharedMemoryAllocation::uniteCopies() {
  llvm::DenseMap<std::pair<Operation *, Attribute>, unsigned> firsts;
  for (unsigned number = 0; number < buffers.size(); ++number) {
    SharedBuffer &buffer = buffers[number];
    Attribute shared = buffer.op->getAttr(kBufferNumberAttrName);
    if (!shared)
      continue;
    unsigned first =
        firsts.try_emplace({buffer.agent, shared}, number).first->second;
    if (first == number)
      continue;
    buffer.copyOf = first;
    extend(buffers[first].alive, buffer.alive);
  }
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

bool SharedMemoryAllocation::interfere(const SharedBuffer &a,
                                       const SharedBuffer &b) const {
  return a.agent != b.agent || a.alive.meets(b.alive);
}

void SharedMemoryAllocation::place() {
  std::vector<SharedBuffer *> order;
  for (SharedBuffer &buffer : buffers)
    if (!buffer.copyOf)
      order.push_back(&buffer);
  // Buffers are in the order of the text, which breaks ties.
  llvm::sort(order, [](SharedBuffer *a, SharedBuffer *b) {
    return std::tie(b->alignment, b->bytes, a) <
           std::tie(a->alignment, a->bytes, b);
  });
  for (size_t next = 0; next < order.size(); ++next) {
    SharedBuffer &buffer = *order[next];
    std::vector<SharedBuffer *> others;
    for (SharedBuffer *placed : llvm::ArrayRef(order).take_front(next))
      if (interfere(buffer, *placed))
        others.push_back(placed);
    llvm::sort(others, [](SharedBuffer *a, SharedBuffer *b) {
      return a->address < b->address;
    });
    for (SharedBuffer *other : others) {
      if (buffer.getEnd() <= other->address)
        break;
      buffer.address = std::max<int64_t>(
          buffer.address, llvm::alignTo(other->getEnd(), buffer.alignment));
    }
    bytes = std::max(bytes, buffer.getEnd());
  }
  for (SharedBuffer &buffer : buffers)
    if (buffer.copyOf)
      buffer.address = buffers[*buffer.copyOf].address;
}

std::optional<int64_t> sm::findSharedMemoryBytes(KernelOp kernel) {
  // The pass that sets addresses says what is wrong.
  ScopedDiagnosticHandler quiet(kernel.getContext(),
                                [](Diagnostic &) { return success(); });
  SharedMemoryAllocation allocation(kernel);
  if (failed(allocation.findLives()))
    return std::nullopt;
  allocation.place();
  return allocation.bytes;
}
