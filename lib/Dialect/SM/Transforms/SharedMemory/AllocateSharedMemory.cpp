//===- AllocateSharedMemory.cpp - Addresses in shared memory ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/BufferNumber.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/SM/Transforms/SharedMemoryAllocation.h"

namespace tessera::sm {
#define GEN_PASS_DEF_ALLOCATESMEMPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Reports the buffers that do not fit, largest first, and the way out.
static LogicalResult refuse(KernelOp kernel,
                            const SharedMemoryAllocation &allocation,
                            int64_t limit, StringRef whose) {
  std::vector<const SharedBuffer *> order;
  bool hasStages = false;
  for (const SharedBuffer &buffer : allocation.buffers) {
    if (!buffer.copyOf)
      order.push_back(&buffer);
    hasStages |= isa<SlotsAllocOp>(buffer.op);
  }
  llvm::sort(order, [](const SharedBuffer *a, const SharedBuffer *b) {
    return std::tie(b->bytes, a) < std::tie(a->bytes, b);
  });
  InFlightDiagnostic error = kernel.emitError()
                             << "needs " << allocation.bytes
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
    SharedMemoryAllocation allocation(kernel);
    if (rings.wasInterrupted() || failed(allocation.findLives()))
      return signalPassFailure();
    allocation.place();
    int64_t limit = getTarget(kernel).sharedMemoryPerBlock;
    if (allocation.bytes > limit) {
      (void)refuse(kernel, allocation, limit, "a block has");
      return signalPassFailure();
    }
    if (auto planned =
            kernel->getAttrOfType<IntegerAttr>(kPlannedBytesAttrName)) {
      if (allocation.bytes > planned.getInt()) {
        (void)refuse(kernel, allocation, planned.getInt(), "its plan has");
        return signalPassFailure();
      }
      kernel->removeAttr(kPlannedBytesAttrName);
    }
    int64_t sum = 0;
    for (const SharedBuffer &buffer : allocation.buffers) {
      cast<SharedMemoryOpInterface>(buffer.op).setSharedAddress(buffer.address);
      buffer.op->removeAttr(kBufferNumberAttrName);
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
