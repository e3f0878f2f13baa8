//===- PlanTransforms.cpp - Plan of transformed operands --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanTransforms.h"
#include "Partition/PartitionSteps.h"
#include "Roles/ComputedRings.h"
#include "Roles/TransformedOperands.h"

#include "tessera/Dialect/SM/IR/RegisterPressure.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/IR/BuiltinOps.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether `read` reads a slot of one of `rings` that each warp releases
/// after its own reads.
static bool arrives(SmemLoadOp read, const RingPlan &rings) {
  auto fetch = read.getSource().getDefiningOp<FetchOp>();
  if (!fetch || fetch->getBlock() != read->getBlock())
    return false;
  return llvm::any_of(rings.groups, [&](const FetchGroup &group) {
    return rings.rings[group.ring].isReleasedPerWarp &&
           llvm::any_of(group.fetches, [&](const RingFetch &other) {
             return other.op == fetch;
           });
  });
}

int64_t sm::getMathNeed(KernelOp kernel, const RingPlan &rings,
                        ArrayRef<SmemStoreOp> transformed) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  setTarget(*module, getTarget(kernel));
  Operation *trial = kernel->clone(mapping);
  module->push_back(trial);
  SmallVector<Operation *> brought(transformed);
  for (const FetchGroup &group : rings.groups)
    for (const RingFetch &fetch : group.fetches)
      brought.push_back(fetch.op);
  for (Operation *op : brought) {
    Operation *copy = mapping.lookup(op);
    OpBuilder builder(copy);
    Operation *arrived = ScratchOp::create(
        builder, op->getLoc(), copy->getResult(0).getType(), IntegerAttr());
    copy->replaceAllUsesWith(arrived);
    copy->erase();
  }
  eraseDeadTiles(trial);
  return RegisterPressure(trial).getNeed();
}

/// Why roles that compute `tiles` and multiply them cannot have the registers
/// of `budget`; none if they can.
static Reason getRegisterObstacle(KernelOp kernel, const RingPlan &rings,
                                  const RegisterBudget &budget,
                                  ArrayRef<SmemStoreOp> tiles) {
  if (budget.transform == 0)
    return "no warpgroup is left for another one";
  const GpuTarget &target = getTarget(kernel);
  // One instruction has the registers of the launch.
  int64_t warps =
      kernel.getWarps() + kTransformWarps + target.warpsPerWarpgroup;
  int64_t atEntry = target.getRegistersAtEntry(warps * target.warpSize);
  int64_t product = 0;
  kernel.walk(
      [&](MmaOp mma) { product = std::max(product, getProductNeed(mma)); });
  if (product > atEntry)
    return "a product needs " + Twine(product) +
           " registers, and with another role threads start with " +
           Twine(atEntry) + "; narrower tiles need fewer";
  int64_t need = getMathNeed(kernel, rings, tiles);
  if (need > budget.math)
    return "products need " + Twine(need) +
           " registers, and with another role they have " + Twine(budget.math) +
           "; smaller tiles need fewer";
  return Reason::none();
}

SmallVector<SmemStoreOp> sm::findTransformedOperands(
    KernelOp kernel, const RingPlan &rings, const RegisterBudget &budget,
    const IsVisible &isVisible,
    function_ref<void(Operation *, const Twine &)> refuse) {
  RoleSlice slice(isVisible);
  SmallVector<SmemStoreOp> tiles;
  SmallVector<TransformedOperand> known;
  kernel.walk([&](SmemStoreOp smemStore) {
    if (!findLastUse(smemStore))
      return;
    OrReason<TransformedOperand> tile =
        matchTransformedOperand(smemStore, kTransformWarps);
    if (!tile || tile->getReads().empty() ||
        !llvm::all_of(tile->getReads(),
                      [&](SmemLoadOp read) { return arrives(read, rings); }) ||
        llvm::any_of(known, [&](const TransformedOperand &other) {
          return tile->disagrees(other);
        }))
      return;
    for (auto [op, layout] : tile->layouts)
      if (Reason reason = addWithScalars(slice, op))
        return refuse(smemStore, reason.str());
    tiles.push_back(smemStore);
    known.push_back(std::move(*tile));
  });
  if (tiles.empty())
    return tiles;
  Reason obstacle = getRegisterObstacle(kernel, rings, budget, tiles);
  if (!obstacle)
    return tiles;
  for (SmemStoreOp smemStore : tiles)
    refuse(smemStore, obstacle.str());
  return {};
}
