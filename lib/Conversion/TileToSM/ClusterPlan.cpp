//===- ClusterPlan.cpp - Checks of clusters ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides whether clusters can run a kernel, by a check of every access.
// Invariant: in a cluster past the end of its axis, each load and store is
// clipped by that axis.
//
//===----------------------------------------------------------------------===//

#include "ClusterPlan.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/Tile/IR/UnmetSchedule.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether the kernel reads a single element of a tensor. Such a load is
/// not clipped.
static bool loadsScalars(tile::KernelOp kernel) {
  return kernel
      .walk([](tile::LoadOp load) {
        return isa<RankedTensorType>(load.getType()) ? WalkResult::advance()
                                                     : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// Checks whether the kernel writes to positions that do not depend on `range`,
/// for example a sum over the programs of an axis. A program past the end would
/// contribute to it.
static bool writesBeside(tile::KernelOp kernel, Value range) {
  auto isAlong = [range](Value index) {
    while (auto shift = index.getDefiningOp<tile::ShiftOp>())
      index = shift.getRange();
    return index == range;
  };
  return kernel
      .walk([&](Operation *op) {
        bool isBeside = false;
        if (auto store = dyn_cast<tile::StoreOp>(op))
          isBeside = llvm::none_of(store.getIndices(), isAlong);
        else if (auto add = dyn_cast<tile::AtomicOp>(op))
          isBeside = llvm::none_of(add.getIndices(), isAlong);
        return isBeside ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Checks whether programs wait for each other, as for a lock. A CTA that waits
/// keeps the slots of shared copies, which the CTA with the lock may need.
static bool waitsForPrograms(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk([](Operation *op) {
    return tile::waitsForPrograms(op) ? WalkResult::interrupt()
                                      : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Checks whether `axis` always has a multiple of `size` programs.
static bool isMultiple(tile::AxisAttr axis, int64_t size) {
  AffineExpr expr = axis.getSize().getExpr();
  if (auto constant = axis.getSize().getConstantValue()) {
    int64_t programs = axis.isTiled()
                           ? llvm::divideCeil(*constant, axis.getTileExtent())
                           : *constant;
    return programs % size == 0;
  }
  return expr.isMultipleOf(size * std::max<int64_t>(axis.getTileExtent(), 1));
}

FailureOr<ClusterPlan> ClusterPlan::get(tile::KernelOp kernel) {
  ClusterPlan plan;
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (!schedule)
    return plan;
  SmallVector<unsigned> split;
  for (auto [axis, size] : llvm::enumerate(schedule.getCluster()))
    if (size > 1)
      split.push_back(axis);
  if (split.empty())
    return plan;
  auto axes = llvm::to_vector(kernel.getAxes());
  if (split.size() > 1)
    return kernel.emitError()
           << "`cluster` goes along " << split.size()
           << " axes, but CTAs of a cluster are neighbours along one; expected "
              "one size above 1";
  plan.axis = split.front();
  plan.size = schedule.getCluster()[plan.axis];
  if (plan.axis >= axes.size())
    return kernel.emitError()
           << "`cluster` goes along axis " << plan.axis
           << ", expected one of the " << axes.size() << " axes of the grid";
  int64_t most = getTarget(kernel).blocksPerCluster;
  if (plan.size > most)
    return kernel.emitError() << "`cluster` has " << plan.size
                              << " CTAs, expected at most " << most;
  auto refuse = [&](const Twine &reason,
                    StringRef remedy = "sizes in multiples of whole clusters, "
                                       "as `M = 64 * N`, permit them") {
    tile::warnOfUnmet(kernel, "cluster", "CTAs form no clusters", reason,
                      remedy, "no-cluster");
    return ClusterPlan();
  };
  if (waitsForPrograms(kernel))
    return refuse("its programs may wait for each other",
                  "atomic operations without `acquire` permit them");
  tile::AxisAttr axis = axes[plan.axis];
  if (isMultiple(axis, plan.size))
    return plan;
  std::string count =
      llvm::formatv("the programs along '{0}' may be no multiple of {1}, and ",
                    axis.getName().getValue(), plan.size);
  if (!axis.isTiled())
    return refuse(count + "nothing clips what is past the last one");
  if (axis.getSize().getExpr().isMultipleOf(axis.getTileExtent()))
    return refuse(count + "whole tiles are not clipped");
  if (loadsScalars(kernel))
    return refuse(count + "loads of single elements are not clipped");
  if (writesBeside(kernel, kernel.getGridArguments()[plan.axis]))
    return refuse(count + "stores outside of this axis are not clipped");
  return plan;
}
