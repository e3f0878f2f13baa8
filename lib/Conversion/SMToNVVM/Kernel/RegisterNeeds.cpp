//===- RegisterNeeds.cpp - Register needs of a thread -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A static check of register pressure (liveness of tiles, from the sm dialect)
// against the registers of each role. It reports products and tiles that do not
// fit, and the sizes or warpgroups that would help. Estimates have an error, so
// warnings require a margin.
//
//===----------------------------------------------------------------------===//

#include "RegisterNeeds.h"

#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/MatrixDescriptors.h"
#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/RegisterPressureText.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/RegisterTile.h"
#include "tessera/Target/KernelAttributes.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::sm;

/// The largest number of warpgroups in a schedule.
static constexpr int64_t kMostWarpgroups = 3;
/// Columns of 16-bit elements that fill the widest swizzle.
static constexpr int64_t kColumnStep = 64;

static RankedTensorType getTile(Type type) {
  if (auto pending = dyn_cast<PendingType>(type))
    return pending.getTensor();
  return dyn_cast<RankedTensorType>(type);
}

static bool isProduct(Operation *op) { return isa<MmaOp, MmaIssueOp>(op); }

static int64_t getWarpgroups(Operation *op) {
  auto role = op->getParentOfType<RoleOp>();
  int64_t warps =
      role ? role.getWarps() : op->getParentOfType<KernelOp>().getWarps();
  return warps / getTarget(op).warpsPerWarpgroup;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult sm::checkProductRegisters(KernelOp kernel) {
  const GpuTarget &target = getTarget(kernel);
  int64_t perWarpgroup = target.warpsPerWarpgroup * target.warpSize;
  int64_t has = getRegistersAtEntry(kernel);
  WalkResult result = kernel.walk([&](Operation *op) {
    int64_t need = isProduct(op) ? getProductNeed(op) : 0;
    if (need <= has)
      return WalkResult::advance();
    RankedTensorType tile = getTile(op->getResult(0).getType());
    int64_t warpgroups = getWarpgroups(op), rows = tile.getDimSize(0);
    layout::ProductSplit split = layout::getProductSplit(rows, warpgroups);
    int64_t columns = target.getWgmmaColumns(tile.getDimSize(1) / split.columns,
                                             tile.getElementType().isInteger());
    InFlightDiagnostic diagnostic = op->emitError();
    diagnostic << "this product needs about " << need
               << " registers of each thread, most of them for "
               << rows / split.rows << "x" << columns
               << " sums per warpgroup, but the " << kernel.getThreads()
               << " threads of kernel '" << kernel.getSymName()
               << "' start with " << has << " each";
    Diagnostic &note = diagnostic.attachNote();
    int64_t beside = need - columns / 2;
    note << "tiles of " << llvm::alignDown(2 * (has - beside), kColumnStep)
         << " columns fit";
    for (int64_t fewer = warpgroups - 1; fewer > 0; --fewer)
      if (need <=
          target.getRegistersAtEntry(kernel.getThreads() -
                                     (warpgroups - fewer) * perWarpgroup)) {
        note << ", and so do tiles of " << fewer * target.wgmmaM
             << " rows, which " << fewer
             << (fewer == 1 ? " warpgroup computes" : " warpgroups compute");
        break;
      }
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Advice
//===----------------------------------------------------------------------===//

/// Checks whether a value takes registers of its own. Constants and values
/// repeated along a dimension do not; masks are predicates.
static bool takesRegisters(Operation *op) {
  auto tile = op->getNumResults() == 1 ? getTile(op->getResult(0).getType())
                                       : RankedTensorType();
  return tile && !tile.getElementType().isInteger(1) && !repeatsValues(op);
}

static int64_t getRows(Operation *product) {
  return getTile(product->getResult(0).getType()).getDimSize(0);
}

/// Checks whether so many warpgroups can share the columns of `product`.
static bool canSplitColumns(Operation *product, int64_t warpgroups) {
  int64_t parts = layout::getProductSplit(getRows(product), warpgroups).columns;
  if (parts == 1)
    return false;
  auto find = [&](auto op) {
    return findReadableInParts(getTarget(product), op.getB().getType(),
                               op.getTransposeB(), parts);
  };
  auto mma = dyn_cast<MmaOp>(product);
  return static_cast<bool>(mma ? find(mma) : find(cast<MmaIssueOp>(product)));
}

/// Describes how more warpgroups could help, as a sentence without a period.
static std::string describeWarpgroups(KernelOp kernel) {
  int64_t rowsOfWarpgroup = getTarget(kernel).wgmmaM;
  int64_t warpgroups = 1, fewest = 0;
  SmallVector<Operation *> products;
  kernel.walk([&](Operation *op) {
    if (!isProduct(op))
      return;
    products.push_back(op);
    warpgroups = std::max(warpgroups, getWarpgroups(op));
    fewest = fewest ? std::min(fewest, getRows(op)) : getRows(op);
  });
  int64_t warps = kernel.getWarps();
  if (products.empty() && warps < getTarget(kernel).warpsPerWarpgroup)
    return llvm::formatv("; `schedule (warps = {0})` has more threads for it",
                         2 * warps);
  if (products.empty())
    return "";
  for (int64_t more = warpgroups + 1; more <= kMostWarpgroups; ++more)
    if (llvm::all_of(products, [&](Operation *op) {
          return getRows(op) % (more * rowsOfWarpgroup) == 0 ||
                 canSplitColumns(op, more);
        }))
      return llvm::formatv(
          "; `schedule (warpgroups = {0})` has more threads for it", more);
  return llvm::formatv(
      "; more warpgroups cannot help, since a product of {0} "
      "rows has {1} for each of {2} already",
      fewest, fewest / layout::getProductSplit(fewest, warpgroups).rows,
      warpgroups);
}

/// Describes the size that would fit into `fits` registers, as a phrase. `fits`
/// is half of the registers of a thread: the other half is for a copy of the
/// tile that is in flight, and for addresses.
static std::string describeFit(int64_t registers, int64_t fits) {
  if (registers <= fits)
    return "smaller tiles leave more of them";
  return llvm::formatv("tiles of 1/{0} of that fit better",
                       llvm::PowerOf2Ceil(llvm::divideCeil(registers, fits)));
}

/// Checks whether all elements of a tile are needed at once: the tile is
/// reduced, and used again afterwards. Elementwise chains of any length need
/// only a few registers.
static bool isKept(Value tile) {
  return !tile.hasOneUse() &&
         llvm::any_of(
             tile.getUsers(),
             llvm::IsaPred<ReduceOp, ScanOp, ReduceWithOp, ScanWithOp>);
}

/// Warns of a role whose tiles take clearly more registers than its threads
/// have, at the point of highest pressure.
static void warnOfPressure(KernelOp kernel, Operation *scope,
                           const RegisterPressure &pressure) {
  int64_t budget = getRegisterBudget(scope), need = pressure.getNeed();
  if (pressure.getLeastNeed() <= budget + cost::kCountError)
    return;
  InFlightDiagnostic diagnostic = pressure.getPeak()->emitWarning();
  diagnostic << "kernel '" << kernel.getSymName() << "' is likely to be slow: ";
  if (auto role = dyn_cast<RoleOp>(scope))
    diagnostic << "its role '" << role.getName() << "' needs";
  else
    diagnostic << "it needs";
  diagnostic << " about " << need << " registers of each thread here, of "
             << budget << " [register-pressure]";
  diagnostic.attachNote() << describeHeld(pressure);
  diagnostic.attachNote() << describeFit(need, budget)
                          << describeWarpgroups(kernel);
}

void sm::describeRegisterNeeds(KernelOp kernel, LLVM::LLVMFuncOp function) {
  const GpuTarget &target = getTarget(kernel);
  Operation *largest = nullptr, *kept = nullptr;
  int64_t most = 0;
  kernel.walk([&](Operation *op) {
    if (!takesRegisters(op))
      return;
    int64_t registers = getTileRegisters(getTile(op->getResult(0).getType()));
    if (registers > most) {
      most = registers;
      largest = op;
    }
    if (!kept && registers > target.registersPerThread &&
        isKept(op->getResult(0)))
      kept = op;
  });
  MLIRContext *context = function.getContext();
  // Small tiles are not reported.
  if (most < cost::kNotableTileRegisters)
    return;
  int64_t peak = 0;
  for (Operation *scope : getRegisterScopes(kernel)) {
    RegisterPressure pressure(scope);
    if (!pressure.getPeak())
      continue;
    if (pressure.getNeed() > peak) {
      peak = pressure.getNeed();
      function->setAttr(kRegisterPeakAttrName, pressure.getPeak()->getLoc());
    }
    if (pressure.getNeed() > getRegisterBudget(scope))
      function->setAttr(kTightAttrName, UnitAttr::get(context));
    if (!kept)
      warnOfPressure(kernel, scope, pressure);
  }
  // Roles redistribute registers. In a kernel without roles, blocks that share
  // a multiprocessor divide them.
  bool hasRoles = !kernel.getBody().getOps<RoleOp>().empty();
  int64_t limit =
      hasRoles ? target.registersPerThread : getRegisterBudget(kernel);
  RankedTensorType tile = getTile(largest->getResult(0).getType());
  std::string place = describePlace(largest->getLoc());
  std::string text = llvm::formatv(
      "the largest tile, of {0}{1}{2}, takes {3} of the {4} "
      "registers of a thread; {5}{6}",
      describeShape(tile), place.empty() ? "" : " at ", place, most, limit,
      describeFit(most, (target.registersPerThread + 1) / 2),
      describeWarpgroups(kernel));
  function->setAttr(kRegisterAdviceAttrName, StringAttr::get(context, text));
  if (most <= target.registersPerThread)
    return;
  // Reported before ptxas runs, since ptxas takes long for such a tile.
  if (kept)
    kept->emitWarning()
        << "this tile takes "
        << getTileRegisters(getTile(kept->getResult(0).getType()))
        << " registers of a thread, which has " << target.registersPerThread
        << ", and all of it is wanted again once it is reduced: it will lie in "
           "memory, and ptxas may take a minute; "
        << describeFit(most, (target.registersPerThread + 1) / 2);
  function->setAttr(kOverfullAttrName, UnitAttr::get(context));
}
