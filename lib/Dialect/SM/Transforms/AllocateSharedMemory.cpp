//===- AllocateSharedMemory.cpp - Addresses in shared memory ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers get the lowest address at which they meet no buffer that is alive at
// the same time, those with the strictest alignment first. Time is the order of
// ops in the kernel's text; a loop is one stretch of it for what lives across
// its iterations.
//
//===----------------------------------------------------------------------===//

#include "tessera/Conversion/SMToNVVM/Scratch.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Target/GpuTarget.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace tessera::sm {
#define GEN_PASS_DEF_ALLOCATESMEMPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
/// A stretch of the text, both ends included.
struct Interval {
  int64_t first, last;
  bool meets(const Interval &other) const {
    return first <= other.last && other.first <= last;
  }
};

struct Buffer {
  Operation *op;
  int64_t bytes, alignment;
  /// The role, or null for what stands beside the roles.
  Operation *agent;
  Interval alive;
  std::string what;
  int64_t address = 0;

  int64_t getEnd() const { return address + bytes; }
};

class Allocation {
public:
  explicit Allocation(KernelOp kernel);

  LogicalResult findLives();
  void place();

  std::vector<Buffer> buffers;
  int64_t bytes = 0;

private:
  void addBuffer(Operation *op);
  void add(Operation *op, int64_t bytes, int64_t alignment, std::string what);
  void keepToEnd(Buffer &buffer, Operation *user);
  LogicalResult findLife(Buffer &buffer, Value tile);
  bool interfere(const Buffer &a, const Buffer &b) const;

  KernelOp kernel;
  bool hasRoles;
  llvm::DenseMap<Operation *, Interval> times;
};
} // namespace

static Operation *getAgent(Operation *op) {
  return op->getParentOfType<RoleOp>();
}

static std::string toString(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Allocation::Allocation(KernelOp kernel)
    : kernel(kernel), hasRoles(!kernel.getBody().getOps<RoleOp>().empty()) {
  int64_t time = 0;
  kernel->walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      times[op].first = time++;
    if (stage.isAfterAllRegions())
      times[op].last = time++;
  });
  kernel->walk([&](Operation *op) { addBuffer(op); });
}

void Allocation::add(Operation *op, int64_t size, int64_t alignment,
                     std::string what) {
  buffers.push_back(
      {op, size, alignment, getAgent(op), times[op], std::move(what)});
}

void Allocation::addBuffer(Operation *op) {
  if (isa<FetchOp, StageOp, ScratchOp>(op)) {
    auto type = cast<SmemType>(op->getResult(0).getType());
    add(op, type.getBytes(), type.getAlignment(), toString(type));
  } else if (auto stages = dyn_cast<StagesAllocOp>(op)) {
    auto type = cast<StagesType>(stages.getType());
    SmemType tile = type.getTile();
    add(op, type.getCount() * tile.getBytes(), tile.getAlignment(),
        toString(type));
  } else if (auto barriers = dyn_cast<MbarrierAllocOp>(op)) {
    auto type = cast<MbarrierType>(barriers.getType());
    add(op, type.getCount() * 8, 8, toString(type));
  } else if (int64_t scratch = getScratchBytes(op)) {
    add(op, scratch, getScratchAlignment(op),
        ("scratch of " + op->getName().getStringRef()).str());
  }
}

//===----------------------------------------------------------------------===//
// Lives
//===----------------------------------------------------------------------===//

static void extend(Interval &alive, const Interval &by) {
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

/// The values that may be `tile` on the other side of the edges of `op`: what
/// regions take and what comes out. Which position goes where is not asked.
static void addCarried(Operation *op, Type type,
                       llvm::SetVector<Value> &values) {
  for (Value result : op->getResults())
    if (result.getType() == type)
      values.insert(result);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        if (argument.getType() == type)
          values.insert(argument);
}

/// `user` may be still reading `buffer` at the end of the agent, and in the
/// next iteration.
void Allocation::keepToEnd(Buffer &buffer, Operation *user) {
  Operation *agent = buffer.agent ? buffer.agent : kernel.getOperation();
  extend(buffer.alive, times[user]);
  buffer.alive.last = times[agent].last;
  if (Operation *loop = getOutermostLoop(user, agent))
    extend(buffer.alive, times[loop]);
}

LogicalResult Allocation::findLife(Buffer &buffer, Value tile) {
  Operation *agent = buffer.agent ? buffer.agent : kernel.getOperation();
  llvm::SetVector<Value> values;
  values.insert(tile);
  Operation *carrier = nullptr; // a loop that takes the tile along
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    for (Operation *user : value.getUsers()) {
      // Where the value is from outside of a loop, the loop is one stretch.
      Operation *stretch = value.getParentBlock()->findAncestorOpInBlock(*user);
      extend(buffer.alive, stretch ? times[stretch] : times[agent]);
      // The product is awaited somewhere behind, maybe an iteration later.
      if (isa<MmaIssueOp>(user))
        keepToEnd(buffer, user);
      if (user->hasTrait<OpTrait::IsTerminator>()) {
        Operation *parent = user->getParentOp();
        addCarried(parent, value.getType(), values);
        extend(buffer.alive, times[parent]);
        if (isa<LoopLikeOpInterface>(parent) && parent->isAncestor(buffer.op))
          carrier = parent;
      } else if (user->getNumRegions() > 0) {
        addCarried(user, value.getType(), values);
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
             "the iteration before and still reads; expected the last read in "
             "front of it, or a ring";
      error.attachNote(user->getLoc()) << "read here";
      return error;
    }
  }
  return success();
}

LogicalResult Allocation::findLives() {
  for (Buffer &buffer : buffers) {
    Operation *agent = buffer.agent ? buffer.agent : kernel.getOperation();
    // A tile of `sm.scratch` is written by somebody who waits for nobody.
    bool isStatic = isa<StagesAllocOp, MbarrierAllocOp, ScratchOp>(buffer.op);
    if (isStatic || (hasRoles && !buffer.agent))
      buffer.alive = times[agent];
    else if (isa<FetchOp, StageOp>(buffer.op) &&
             failed(findLife(buffer, buffer.op->getResult(0))))
      return failure();
    else if (isa<TmaStoreOp>(buffer.op) && buffer.agent)
      keepToEnd(buffer, buffer.op);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

bool Allocation::interfere(const Buffer &a, const Buffer &b) const {
  return a.agent != b.agent || a.alive.meets(b.alive);
}

void Allocation::place() {
  std::vector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  // Buffers stand in the order of the text, which breaks ties.
  llvm::sort(order, [](Buffer *a, Buffer *b) {
    return std::tie(b->alignment, b->bytes, a) <
           std::tie(a->alignment, a->bytes, b);
  });
  for (size_t next = 0; next < order.size(); ++next) {
    Buffer &buffer = *order[next];
    std::vector<Buffer *> others;
    for (Buffer *placed : llvm::ArrayRef(order).take_front(next))
      if (interfere(buffer, *placed))
        others.push_back(placed);
    llvm::sort(others,
               [](Buffer *a, Buffer *b) { return a->address < b->address; });
    for (Buffer *other : others) {
      if (buffer.getEnd() <= other->address)
        break;
      buffer.address = std::max<int64_t>(
          buffer.address, llvm::alignTo(other->getEnd(), buffer.alignment));
    }
    bytes = std::max(bytes, buffer.getEnd());
  }
}

/// What does not fit, largest first, and what to do about it.
static LogicalResult refuse(KernelOp kernel, const Allocation &allocation,
                            int64_t limit) {
  std::vector<const Buffer *> order;
  bool hasStages = false;
  for (const Buffer &buffer : allocation.buffers) {
    order.push_back(&buffer);
    hasStages |= isa<StagesAllocOp>(buffer.op);
  }
  llvm::sort(order, [](const Buffer *a, const Buffer *b) {
    return std::tie(b->bytes, a) < std::tie(a->bytes, b);
  });
  InFlightDiagnostic error = kernel.emitError()
                             << "needs " << allocation.bytes
                             << " bytes of shared memory, of which a block has "
                             << limit << "; expected "
                             << (hasStages ? "fewer stages or smaller tiles"
                                           : "smaller tiles");
  for (const Buffer *buffer : order)
    error.attachNote(buffer->op->getLoc())
        << buffer->bytes << " bytes from " << buffer->address << ": "
        << buffer->what;
  return error;
}

namespace {
struct AllocateSmemPass : sm::impl::AllocateSmemPassBase<AllocateSmemPass> {
  using AllocateSmemPassBase::AllocateSmemPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    WalkResult rings = kernel->walk([](RingAllocOp ring) {
      ring.emitError() << "expected no rings; run 'sm-expand-rings' first";
      return WalkResult::interrupt();
    });
    Allocation allocation(kernel);
    if (rings.wasInterrupted() || failed(allocation.findLives()))
      return signalPassFailure();
    allocation.place();
    int64_t limit = getDefaultGpuTarget().sharedMemoryPerBlock;
    if (allocation.bytes > limit) {
      (void)refuse(kernel, allocation, limit);
      return signalPassFailure();
    }
    Builder builder(&getContext());
    int64_t sum = 0;
    for (const Buffer &buffer : allocation.buffers) {
      bool isTile =
          isa<FetchOp, StageOp, ScratchOp, StagesAllocOp, MbarrierAllocOp>(
              buffer.op);
      buffer.op->setAttr(isTile ? "address" : "sm.scratch_address",
                         builder.getI64IntegerAttr(buffer.address));
      sum += buffer.bytes;
    }
    kernel.setSharedMemory(allocation.bytes);
    kernel.setForm(Form::Expanded);
    numBuffers += allocation.buffers.size();
    numBytes += allocation.bytes;
    numSaved += std::max<int64_t>(0, sum - allocation.bytes);
  }
};
} // namespace
