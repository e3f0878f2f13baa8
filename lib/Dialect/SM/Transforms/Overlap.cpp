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
#include "TripCount.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/IR/Target.h"
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
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    bool pingpong = schedule && schedule.getPingpong();
    for (Operation *op : loops) {
      auto loop = cast<scf::ForOp>(op);
      auto role = loop->getParentOfType<RoleOp>();
      Location loc = loop.getLoc();
      std::string why;
      bool isPipelined = false;
      if (hasDependentProducts(loop)) {
        bool takesTurns = pingpong && hasWarpgroups(role);
        isPipelined =
            succeeded(pipelineDependentProducts(loop, takesTurns, why));
        if (isPipelined && takesTurns)
          startTurns(role);
      } else {
        isPipelined = succeeded(overlapAccumulation(loop, why));
      }
      if (isPipelined)
        ++numLoops;
      else if (remarks)
        emitRemark(loc) << "products of this loop wait for each other: " << why;
    }
    // Loops over the last block, on all sides.
    kernel.walk([](scf::ForOp loop) { simplifyShortLoop(loop); });
  }

  /// Whether `role` has warpgroups that can take turns.
  static bool hasWarpgroups(RoleOp role) {
    int64_t group = getTarget(role).warpsPerWarpgroup;
    return role.getWarps() % group == 0 && role.getWarps() / group >= 2;
  }

  /// The first turn is the first warpgroup's; the last one is handed on to the
  /// next loop or program.
  static void startTurns(RoleOp role) {
    if (!role.getBody().getOps<TurnStartOp>().empty())
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&role.getBody().front());
    TurnStartOp::create(builder, role.getLoc());
  }
};
} // namespace
