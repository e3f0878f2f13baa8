//===- Overlap.cpp - Products in flight while others wait -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-overlap: tries on each loop of a role the schedules that
// ProductLoops.h offers.
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

namespace tessera::sm {
#define GEN_PASS_DEF_OVERLAPPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
struct Overlap : sm::impl::OverlapPassBase<Overlap> {
  using OverlapPassBase::OverlapPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getForm() != Form::Scheduled)
      return;
    // The loops right around products.
    llvm::SetVector<Operation *> loops;
    kernel.walk([&](MmaOp product) {
      if (auto loop = product->getParentOfType<scf::ForOp>())
        if (loop->getParentOfType<RoleOp>())
          loops.insert(loop);
    });
    for (Operation *op : loops) {
      auto loop = cast<scf::ForOp>(op);
      Location loc = loop.getLoc();
      std::string why;
      if (succeeded(overlapAccumulation(loop, why)))
        ++numLoops;
      else if (remarks)
        emitRemark(loc) << "products of this loop wait for each other: " << why;
    }
  }
};
} // namespace
