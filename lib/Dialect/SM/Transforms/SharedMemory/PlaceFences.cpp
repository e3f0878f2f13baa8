//===- PlaceFences.cpp - Barriers and fences of shared memory ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-place-fences: lattice dataflow by one walk (FencePlacement.h) for
// each role, and one for the ops outside of roles, by the rules of
// AccessState.h.
//
// - Roles start when no access is unordered any more, and count as a write of
//   all the shared memory for the ops after them. An elected role is a single
//   thread, whose accesses are ordered automatically.
// - Ops that use scratch memory of their own keep the barriers around it
//   (sm.convert, sm.reduce, sm.scan; sm.tma.store those of warpgroups), and
//   only its bytes count here, since other buffers may share them.
//
//===----------------------------------------------------------------------===//

#include "FencePlacement.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PLACEFENCESPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Of two barriers with nothing between them, one is enough. Ops that go
/// through scratch memory start with one.
static void eraseDoubled(KernelOp kernel, const SharedAccesses &accesses) {
  auto isPassed = [&](Operation *op) {
    return isPure(op) && !hasOwnBarriers(accesses, op);
  };
  SmallVector<Operation *> doubled;
  kernel.getBody().walk([&](BarrierOp barrier) {
    if (barrier.getGrid())
      return;
    Operation *next = barrier->getNextNode();
    while (next && isPassed(next))
      next = next->getNextNode();
    if (next && (isa<BarrierOp>(next) || hasOwnBarriers(accesses, next)))
      doubled.push_back(barrier);
  });
  for (Operation *barrier : doubled)
    barrier->erase();
}

/// Checks whether all of `kernel` can be followed.
static LogicalResult verifyForm(KernelOp kernel) {
  if (kernel.getForm() != Form::Planned && kernel.getForm() != Form::Expanded)
    return kernel.emitOpError()
           << "is in the " << stringifyForm(kernel.getForm())
           << " form, expected the expanded one, of sm-allocate-smem";
  WalkResult result = kernel.getBody().walk([](Operation *op) -> WalkResult {
    if (isa<RingAllocOp>(op))
      return op->emitOpError()
             << "expected no rings; run 'sm-expand-rings' first";
    if (op->getNumRegions() == 0 ||
        isa<RoleOp, scf::ForOp, scf::IfOp, scf::WhileOp, ReduceWithOp,
            ScanWithOp>(op))
      return success();
    return op->emitOpError()
           << "cannot be followed to place barriers; expected "
              "loops and conditions of scf only";
  });
  return failure(result.wasInterrupted());
}

namespace {
struct PlaceFences : sm::impl::PlaceFencesPassBase<PlaceFences> {
  using PlaceFencesPassBase::PlaceFencesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(place(kernel)))
      return signalPassFailure();
    kernel.setForm(Form::Fenced);
  }

private:
  LogicalResult place(KernelOp kernel) {
    if (failed(verifyForm(kernel)))
      return failure();
    FailureOr<SharedAccesses> accesses = SharedAccesses::get(kernel);
    if (failed(accesses))
      return failure();
    eraseDoubled(kernel, *accesses);
    FencePlacement placement(*accesses);
    LogicalResult result = placement.placeIn(kernel.getBody().front());
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      if (!role.getElected() && succeeded(result))
        result = placement.placeIn(role.getBody().front());
    if (failed(result))
      return failure();
    int64_t barriers = 0, fences = 0;
    placement.materialize(kernel, barriers, fences);
    numBarriers += barriers;
    numFences += fences;
    return success();
  }
};
} // namespace
