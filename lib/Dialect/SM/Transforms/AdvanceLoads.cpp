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

#include "SplitProduct.h"
#include "tessera/Dialect/SM/IR/RegisterPressure.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_ADVANCELOADSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// What is left to a thread of a role for addresses, positions of rings and
/// masks. With it ptxas keeps all products of the examples asynchronous, which
/// it refuses to kernels that have too few registers (C7512).
static constexpr int64_t kBesideTiles = 16;

/// The last op before `load` in its block where threads wait for a product;
/// null if there is none. Over a loop the value would be held for as long as it
/// runs.
static Operation *findAwait(LoadOp load) {
  Operation *op = load->getPrevNode();
  while (op && op->getNumRegions() == 0 && !isa<MmaOp, MmaAwaitOp>(op))
    op = op->getPrevNode();
  return op && op->getNumRegions() == 0 ? op : nullptr;
}

/// The scalars between `place` and `load` that it needs, in their order; fails
/// if it needs something else.
static FailureOr<SmallVector<Operation *>> findSlice(LoadOp load,
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
      if (!isScalar || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
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
    Operation *await = findAwait(load);
    if (!await)
      return;
    auto keep = [&](const Twine &why) {
      if (remarks)
        load.emitRemark() << "this load waits until a product is complete: "
                          << why;
    };
    if (load.getGlobalType().isWritable())
      return keep("the kernel writes this tensor");
    auto product = dyn_cast<MmaOp>(await);
    // Registers that a product in flight reads must not be written, and nothing
    // says so to those who allocate them.
    if (product && !isa<SmemType>(product.getA().getType()))
      return keep("the product reads registers");
    FailureOr<SmallVector<Operation *>> slice = findSlice(load, await);
    if (failed(slice))
      return keep("its place is computed after that");
    auto role = load->getParentOfType<RoleOp>();
    int64_t registers =
        RegisterPressure(role).at(await) + getValueRegisters(load.getType());
    if (product && product.getAccumulator().getDefiningOp<arith::ConstantOp>())
      registers += getValueRegisters(product.getType());
    int64_t available =
        role.getRegisters().value_or(getTarget(load).registersPerThread) -
        kBesideTiles;
    if (registers > available)
      return keep("beside that, tiles would take " + Twine(registers) + " of " +
                  Twine(available) + " registers of a thread");
    Operation *place = product ? splitProduct(product) : await;
    for (Operation *op : *slice)
      op->moveBefore(place);
    load->moveBefore(place);
    ++numAdvanced;
  }
};
} // namespace
