//===- Persist.cpp - Kernels that walk over their programs ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-persist. The loop makes what one program leaves (filled rings,
// initialised barriers) useful to the next one: once a role loads ahead, it
// loads ahead across programs too.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/IR/UnmetSchedule.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PERSISTPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Makes the number of programs of a launch: the product over the axes of the
/// grid.
static Value makeProgramCount(OpBuilder &builder, KernelOp kernel) {
  Location loc = kernel.getLoc();
  Value count;
  for (tile::SizeAttr size : kernel.getProgramCounts()) {
    Value extent =
        tile::SizeOp::create(builder, loc, builder.getIndexType(), size);
    count = count ? arith::MulIOp::create(builder, loc, count, extent) : extent;
  }
  return count;
}

/// Checks whether `op` yields only scalars and may be moved anywhere.
static bool isFreeScalar(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

namespace {
struct Persist : sm::impl::PersistPassBase<Persist> {
  using PersistPassBase::PersistPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    if (kernel.getPersistent() || !schedule || !schedule.getPersistent())
      return;
    auto keep = [&](StringRef why) {
      tile::warnOfUnmet(kernel, "persistent", "each CTA runs one program", why,
                        "give the kernel a grid whose axes it uses",
                        "not-persistent");
    };
    if (kernel.getForm() != Form::Planned)
      return keep("the kernel is not planned any more");
    Block &body = kernel.getBody().front();
    // An op in a region counts as the op of the body that contains it.
    Operation *first = nullptr;
    SmallVector<ProgramIdOp> ids;
    kernel.walk([&](ProgramIdOp id) {
      ids.push_back(id);
      if (!first)
        first = body.findAncestorOpInBlock(*id);
    });
    if (!first || kernel.getAxes().empty())
      return keep("the kernel does not ask which program it runs");

    // Values that do not depend on the program are computed once.
    for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
             first->getIterator(), body.getTerminator()->getIterator())))
      if (!isa<ProgramIdOp>(op) && isFreeScalar(&op) &&
          llvm::all_of(op.getOperands(), [&](Value operand) {
            Operation *definition = operand.getDefiningOp();
            return !definition || definition->isBeforeInBlock(first);
          }))
        op.moveBefore(first);

    OpBuilder builder(first);
    Location loc = first->getLoc();
    Value start = ProgramIdOp::create(builder, loc);
    Value end = makeProgramCount(builder, kernel);
    Value step = CtaCountOp::create(builder, loc);
    auto loop = scf::ForOp::create(builder, loc, start, end, step);
    Block *inner = loop.getBody();
    inner->getOperations().splice(inner->getTerminator()->getIterator(),
                                  body.getOperations(), first->getIterator(),
                                  body.getTerminator()->getIterator());
    // The loop was built before `first`, which is now in it.
    for (ProgramIdOp id : ids) {
      id->replaceAllUsesWith(ValueRange(loop.getInductionVar()));
      id.erase();
    }
    kernel.setPersistent(true);
    ++numPersistent;
  }
};
} // namespace
