//===- HoistLoads.cpp - Loads that run beside products ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-hoist-loads issues loads earlier. A load is asynchronous for
// the machine until its first use; a thread waits for a load that is issued
// late. In a program, vectors of statistics, scales and gates come after the
// product that they are combined with, so their latency would follow that of
// the product. The same holds for vectors that another role has brought: the
// thread has to wait for them and to read them.
//
//===----------------------------------------------------------------------===//

#include "DependenceGraph.h"
#include "Roles/MultipliedReads.h"
#include "SplitLoop.h"
#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/RegisterPressure.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_HOISTLOADSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Returns the last op before `load` in its block where threads wait for a
/// product; null if there is none. Loads do not move over a loop, which would
/// hold the value for as long as it runs. Nor do they leave a turn: roles wait
/// for shared rings within it. A product of the iteration before may read the
/// same registers until it is retired.
static Operation *findAwait(Operation *load) {
  auto isEnd = [](Operation *op) {
    return op->getNumRegions() != 0 ||
           isa<RingTakeOp, RingPassOp, MmaRetireOp>(op);
  };
  Operation *op = load->getPrevNode();
  while (op && !isEnd(op) && !isa<MmaOp, MmaAwaitOp>(op))
    op = op->getPrevNode();
  return op && !isEnd(op) ? op : nullptr;
}

/// Returns the wait for the slot that `read` reads, if threads of another role
/// fill the slot. They wait for nothing but free slots of that ring, so the
/// wait can move anywhere. Null otherwise.
static RingWaitOp findRow(SmemLoadOp read) {
  if (getValueRegisters(read.getType()) > cost::kMostHoistedRegisters)
    return nullptr;
  auto tile = read.getSource().getDefiningOp<SlotTileOp>();
  auto wait = tile ? tile.getSlot().getDefiningOp<RingWaitOp>() : nullptr;
  if (!wait || wait->getBlock() != read->getBlock())
    return nullptr;
  bool isByThreads =
      llvm::any_of(wait.getRing().getUsers(), [](Operation *user) {
        return isa<RingAcquireOp>(user) &&
               !user->getParentOfType<RoleOp>().getElected();
      });
  return isByThreads ? wait : nullptr;
}

/// Gives slots of rows back as soon as they have been read, unless that is left
/// to a product.
static void releaseEarly(RingWaitOp wait) {
  Operation *last = nullptr, *release = nullptr;
  for (Operation *user : wait->getUsers()) {
    if (isa<RingReleaseOp>(user))
      release = user;
    for (Operation *reader : user->getUsers()) {
      auto read = dyn_cast<SmemLoadOp>(reader);
      if (read && findReleasing(read))
        return;
      Operation *inBlock = wait->getBlock()->findAncestorOpInBlock(*reader);
      if (inBlock && (!last || last->isBeforeInBlock(inBlock)))
        last = inBlock;
    }
  }
  if (release && last && release->getBlock() == last->getBlock())
    release->moveAfter(last);
}

/// Checks whether `load` writes the registers that a product of this iteration
/// reads, since it brings the left operand of the next one.
static bool isNextOperand(Operation *load) {
  return llvm::any_of(
      load->getBlock()->getOps<MmaIssueOp>(),
      [&](MmaIssueOp issue) { return getNextOperand(issue) == load; });
}

/// Returns the ops between `place` and `load` that it needs, in their order:
/// scalars, and what makes the tile that it reads; fails if it needs something
/// else.
static FailureOr<SmallVector<Operation *>> findSlice(Operation *load,
                                                     Operation *place) {
  SmallVector<Operation *> slice;
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
      bool isRow = isa<RingWaitOp, SlotTileOp>(op);
      if (!isRow &&
          (!isScalar || op->getNumRegions() != 0 || !isMemoryEffectFree(op)))
        return failure();
      slice.push_back(op);
      need(op);
    }
    if (op == place)
      break;
  }
  std::reverse(slice.begin(), slice.end());
  return slice;
}

namespace {
struct HoistLoads : sm::impl::HoistLoadsPassBase<HoistLoads> {
  using HoistLoadsPassBase::HoistLoadsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Scheduled)
      return;
    SmallVector<Operation *> loads;
    kernel.walk([&](RoleOp role) {
      role.walk([&](Operation *op) {
        auto read = dyn_cast<SmemLoadOp>(op);
        if (isa<LoadOp>(op) || (read && findRow(read)))
          loads.push_back(op);
      });
    });
    for (Operation *load : loads) {
      advance(load);
      if (auto read = dyn_cast<SmemLoadOp>(load))
        releaseEarly(findRow(read));
    }
  }

  void advance(Operation *load) {
    Operation *await = findAwait(load);
    if (!await)
      return;
    auto keep = [&](const Twine &why) {
      if (remarks)
        load->emitRemark() << "this load waits until a product is complete: "
                           << why << " [load-after-product]";
    };
    auto global = dyn_cast<LoadOp>(load);
    if (global && global.getGlobalType().isWritable())
      return keep("the kernel writes this tensor");
    auto product = dyn_cast<MmaOp>(await);
    // Registers that a product in flight reads must not be written, and the IR
    // does not tell the register allocator so.
    if ((product && !isa<SmemType>(product.getA().getType())) ||
        isNextOperand(load))
      return keep("the product reads registers");
    FailureOr<SmallVector<Operation *>> slice = findSlice(load, await);
    if (failed(slice))
      return keep("its place is computed after that");
    auto role = load->getParentOfType<RoleOp>();
    int64_t registers = RegisterPressure(role).at(await) +
                        getValueRegisters(load->getResult(0).getType());
    if (product && product.getAccumulator().getDefiningOp<arith::ConstantOp>())
      registers += getValueRegisters(product.getType());
    int64_t available =
        role.getRegisters().value_or(getTarget(load).registersPerThread) -
        cost::kHoistScalars;
    if (registers > available)
      return keep("with the load, tiles would take " + Twine(registers) +
                  " of " + Twine(available) + " registers of a thread");
    Operation *place = product ? splitProduct(product) : await;
    for (Operation *op : *slice)
      op->moveBefore(place);
    load->moveBefore(place);
    ++numAdvanced;
  }
};
} // namespace
