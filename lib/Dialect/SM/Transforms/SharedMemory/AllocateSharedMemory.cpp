//===- AllocateSharedMemory.cpp - Addresses in shared memory ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/SM/Transforms/SharedMemoryPlan.h"

namespace tessera::sm {
#define GEN_PASS_DEF_ALLOCATESMEMPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Reports the buffers that do not fit, largest first, and the way out.
static LogicalResult refuse(KernelOp kernel, const SharedMemoryPlan &plan,
                            int64_t limit, StringRef whose) {
  std::vector<const SharedBuffer *> order;
  bool hasStages = false;
  for (const SharedBuffer &buffer : plan.buffers) {
    order.push_back(&buffer);
    hasStages |= isa<SlotsAllocOp>(buffer.op);
  }
  llvm::sort(order, [](const SharedBuffer *a, const SharedBuffer *b) {
    return std::tie(b->bytes, a) < std::tie(a->bytes, b);
  });
  InFlightDiagnostic error = kernel.emitError()
                             << "needs " << plan.bytes
                             << " bytes of shared memory, and " << whose << " "
                             << limit << "; expected "
                             << (hasStages ? "fewer `stages` or smaller tiles"
                                           : "smaller tiles");
  for (const SharedBuffer *buffer : order)
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
    SharedMemoryPlan plan(kernel);
    if (rings.wasInterrupted() || failed(plan.findLives()))
      return signalPassFailure();
    plan.place();
    int64_t limit = getTarget(kernel).sharedMemoryPerBlock;
    if (plan.bytes > limit) {
      (void)refuse(kernel, plan, limit, "a block has");
      return signalPassFailure();
    }
    if (auto planned =
            kernel->getAttrOfType<IntegerAttr>(kPlannedBytesAttrName)) {
      if (plan.bytes > planned.getInt()) {
        (void)refuse(kernel, plan, planned.getInt(), "its plan has");
        return signalPassFailure();
      }
      kernel->removeAttr(kPlannedBytesAttrName);
    }
    int64_t sum = 0;
    for (const SharedBuffer &buffer : plan.buffers) {
      cast<SharedMemoryOpInterface>(buffer.op).setSharedAddress(buffer.address);
      sum += buffer.bytes;
    }
    kernel.setSharedMemory(plan.bytes);
    kernel.setForm(Form::Expanded);
    numBuffers += plan.buffers.size();
    numBytes += plan.bytes;
    numSaved += std::max<int64_t>(0, sum - plan.bytes);
  }
};
} // namespace
