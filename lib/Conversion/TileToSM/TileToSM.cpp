//===- TileToSM.cpp - From the tile dialect to the sm dialect ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-to-sm reads the plan of a kernel's products
// (ProductAssignments), assigns a layout to each tile (LayoutAssignment), and
// converts the kernel op by op (KernelConversion). It does not use MLIR's
// dialect conversion: the layout of a value depends on its users, and one value
// may have several layouts.
//
//===----------------------------------------------------------------------===//

#include "KernelConversion.h"
#include "ProductPlanner.h"

#include "tessera/Conversion/TileToSM/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

namespace tessera::sm {
#define GEN_PASS_DEF_TILETOSMPASS
#include "tessera/Conversion/TileToSM/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Moves layout changes and tiles in shared memory into the branch of a loop
/// with an early exit if only the branch uses them. Its last iterations then
/// have no effects, as tile::findEarlyExit() requires.
static void sinkIntoExitingBranches(KernelOp kernel) {
  kernel.walk([](scf::IfOp branch) {
    Block *body = branch->getBlock();
    Value condition = branch.getCondition();
    if (!isa<scf::ForOp>(branch->getParentOp()) ||
        (!isa<BlockArgument>(condition) &&
         !condition.getDefiningOp<arith::AndIOp>()))
      return;
    Region &region = branch.getThenRegion();
    // The position before an operation that moves would move with it.
    SmallVector<Operation *> before = llvm::map_to_vector(
        llvm::make_range(body->begin(), branch->getIterator()),
        [](Operation &op) { return &op; });
    for (Operation *op : llvm::reverse(before))
      if (isa<ConvertOp, SmemStoreOp>(op) &&
          llvm::all_of(op->getUsers(), [&](Operation *user) {
            return region.isAncestor(user->getParentRegion());
          }))
        op->moveBefore(&region.front(), region.front().begin());
  });
}

namespace {
struct TileToSM : sm::impl::TileToSMPassBase<TileToSM> {
  using TileToSMPassBase::TileToSMPassBase;

  void runOnOperation() override {
    if (rasterGroup < 0) {
      emitError(getOperation().getLoc())
          << "expected the option 'raster-group' of tile-to-sm to be at least "
             "0, got "
          << int64_t(rasterGroup);
      return signalPassFailure();
    }
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>()))
      if (failed(convert(kernel)))
        return signalPassFailure();
    // Accesses share their sizes, checks and constants (common subexpressions).
    IRRewriter rewriter(&getContext());
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      DominanceInfo dominance(kernel);
      eliminateCommonSubExpressions(rewriter, dominance, kernel);
      sinkIntoExitingBranches(kernel);
    }
    // Phases of the tile level end here.
    getOperation()->removeAttr("tile.phase");
  }

  LogicalResult convert(tile::KernelOp kernel) {
    if (failed(checkTileSizes(kernel)))
      return failure();
    if (!hasProductPlan(kernel) && failed(planProducts(kernel, remarks)))
      return failure();
    FailureOr<ProductAssignments> assigned = ProductAssignments::read(kernel);
    if (failed(assigned))
      return failure();
    KernelConversion conversion(kernel, *assigned, {remarks, rasterGroup});
    if (failed(conversion.run()))
      return failure();
    for (auto &[op, product] : assigned->products)
      ++(product.onTensorCores ? numMma : numDot);
    numFetch += assigned->fetches.size();
    numConvert += conversion.getNumConverts();
    kernel.erase();
    return success();
  }
};
} // namespace
