//===- AdvanceLoads.cpp - Loads that run beside products --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-advance-loads. A load is asynchronous for the machine until its
// first use; what makes a thread wait for it is that it is issued late. Rows of
// statistics, scales and gates stand in a program after the product that they
// are combined with, so their latency would follow that of the product.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Target/GpuTarget.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_ADVANCELOADSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// What a thread of a role takes beside tiles: addresses, positions of rings,
/// masks. With half of it, packed gradients with heads of 192 would no longer
/// be multiplied asynchronously (ptxas C7512).
static constexpr int64_t kBesideTiles = 16;

/// Whether threads wait for a product at `op`.
static bool awaitsProduct(Operation *op) { return isa<MmaOp, MmaAwaitOp>(op); }

/// The first place from which on `load` would run beside one product, the one
/// that is awaited last before it; null if it follows none in its block.
static Operation *findPlace(LoadOp load) {
  Operation *place = nullptr;
  bool isBeside = false;
  for (Operation *op = load->getPrevNode(); op; op = op->getPrevNode()) {
    // Over a loop the value would be held for as long as it runs.
    if (op->getNumRegions() != 0)
      break;
    if (awaitsProduct(op)) {
      if (isBeside)
        break;
      isBeside = true;
    }
    place = op;
  }
  if (!isBeside)
    return nullptr;
  // Others wait for what is given back.
  while (isa<RingReleaseOp>(place))
    place = place->getNextNode();
  return place;
}

namespace {
/// The ops of a block that have to be moved with an op, in their order.
struct Slice {
  SmallVector<Operation *> ops;
  /// The last op that is needed and cannot be moved; null if there is none.
  Operation *fixed = nullptr;
};
} // namespace

/// What `load` needs of the ops between `place` and itself.
static Slice findSlice(LoadOp load, Operation *place) {
  Slice slice;
  llvm::DenseSet<Operation *> needed;
  auto need = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        needed.insert(definition);
  };
  need(load);
  // From the load upwards, each op is met before those it needs.
  for (Operation *op = load->getPrevNode();; op = op->getPrevNode()) {
    if (needed.contains(op)) {
      bool isScalar = llvm::all_of(op->getResultTypes(), [](Type type) {
        return type.isIntOrIndexOrFloat();
      });
      if (!isScalar || op->getNumRegions() != 0 || !isMemoryEffectFree(op)) {
        slice.fixed = op;
        break;
      }
      slice.ops.push_back(op);
      need(op);
    }
    if (op == place)
      break;
  }
  std::reverse(slice.ops.begin(), slice.ops.end());
  return slice;
}

static int64_t countRegisters(Type type) {
  if (auto pending = dyn_cast<PendingType>(type))
    type = pending.getTensor();
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? getTileRegisters(tile) : 0;
}

/// Whether a value takes registers of its own.
static bool isFree(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<arith::ConstantOp, tensor::SplatOp, BroadcastOp>(op);
}

/// Whether an iteration of `loop` reads `value`, beside what it takes over.
static bool isReadInside(Operation *loop, Value value) {
  return isa<LoopLikeOpInterface>(loop) &&
         llvm::any_of(value.getUsers(), [&](Operation *user) {
           return loop->isProperAncestor(user);
         });
}

/// Registers of a thread that tiles take at `op`.
static int64_t countLiveRegisters(Operation *op, Liveness &liveness) {
  llvm::DenseSet<Value> live;
  for (Operation *at = op; !isa<RoleOp>(at); at = at->getParentOp()) {
    const LivenessBlockInfo *block = liveness.getLiveness(at->getBlock());
    for (Value value : block->currentlyLiveValues(at)) {
      if (value.getDefiningOp() == at || isFree(value))
        continue;
      Operation *start = block->getStartOperation(value);
      bool isUsedLater = at == op || block->getEndOperation(value, start) != at;
      if (isUsedLater || isReadInside(at, value))
        live.insert(value);
    }
  }
  int64_t registers = 0;
  for (Value value : live)
    registers += countRegisters(value.getType());
  return registers;
}

/// What new accumulators take of products from `place` to `load`.
static int64_t countAccumulators(Operation *place, LoadOp load) {
  int64_t registers = 0;
  for (Operation *op = place; op != load; op = op->getNextNode()) {
    if (!isa<MmaOp, MmaIssueOp>(op))
      continue;
    bool addsTo = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getType() == op->getResult(0).getType() &&
             !operand.getDefiningOp<arith::ConstantOp>();
    });
    if (!addsTo)
      registers += countRegisters(op->getResult(0).getType());
  }
  return registers;
}

namespace {
struct AdvanceLoads : sm::impl::AdvanceLoadsPassBase<AdvanceLoads> {
  using AdvanceLoadsPassBase::AdvanceLoadsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Scheduled)
      return;
    SmallVector<LoadOp> loads;
    kernel.walk([&](LoadOp load) {
      if (load->getParentOfType<RoleOp>())
        loads.push_back(load);
    });
    for (LoadOp load : loads)
      advance(load);
  }

  void advance(LoadOp load) {
    Operation *place = findPlace(load);
    if (!place)
      return;
    auto keep = [&](const Twine &why) {
      if (remarks)
        load.emitRemark() << "this load waits until a product is complete: "
                          << why;
    };
    if (load.getGlobalType().isWritable())
      return keep("the kernel writes this tensor");
    Slice slice = findSlice(load, place);
    if (slice.fixed) {
      // There may be a product after it, too.
      bool isBeside = false;
      for (Operation *op = slice.fixed; op != load; op = op->getNextNode())
        isBeside |= op != slice.fixed && awaitsProduct(op);
      if (!isBeside)
        return keep("its place is computed after that");
      place = slice.fixed->getNextNode();
      slice = findSlice(load, place);
    }
    auto role = load->getParentOfType<RoleOp>();
    Liveness liveness(role);
    int64_t registers = countLiveRegisters(place, liveness) +
                        countAccumulators(place, load) +
                        countRegisters(load.getType());
    int64_t available =
        role.getRegisters().value_or(getDefaultGpuTarget().registersPerThread) -
        kBesideTiles;
    if (registers > available)
      return keep("beside that, tiles would take " + Twine(registers) + " of " +
                  Twine(available) + " registers of a thread");
    while (llvm::is_contained(slice.ops, place))
      place = place->getNextNode();
    for (Operation *op : slice.ops)
      if (place->isBeforeInBlock(op))
        op->moveBefore(place);
    load->moveBefore(place);
    ++numAdvanced;
  }
};
} // namespace
