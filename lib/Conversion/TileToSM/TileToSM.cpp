//===- TileToSM.cpp - From the tile dialect to the sm dialect ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-to-sm: the plan of a kernel's products (KernelPlan), a layout
// for each tile (LayoutAssignment), and then the kernel op by op
// (KernelConversion). It is no dialect conversion, for the layout of a value
// depends on who uses it, and one value may take several.
//
//===----------------------------------------------------------------------===//

#include "KernelConversion.h"
#include "TransposedProducts.h"

#include "tessera/Conversion/TileToSM/Passes.h"
#include "tessera/Dialect/SM/IR/Target.h"

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
    // Accesses share their sizes, checks and constants.
    IRRewriter rewriter(&getContext());
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      DominanceInfo dominance(kernel);
      eliminateCommonSubExpressions(rewriter, dominance, kernel);
    }
    // Phases of the tile level end here.
    getOperation()->removeAttr("tile.phase");
  }

  /// Points at the product that so many warpgroups cannot share.
  static void warnOfWarpgroups(tile::KernelOp kernel, const KernelPlan &plan) {
    const ProductPlan &product = plan.products.find(plan.indivisible)->second;
    int64_t rows = getTarget(kernel).wgmmaM;
    int64_t wanted = kernel.getScheduleAttr().getWarpgroups();
    InFlightDiagnostic diagnostic = plan.indivisible->emitWarning();
    diagnostic << "`warpgroups = " << wanted << "` is not done, "
               << (plan.warpgroups == 1
                       ? "one warpgroup computes"
                       : Twine(plan.warpgroups) + " warpgroups compute")
               << ": this product has " << product.m << " rows"
               << " [fewer-warpgroups]";
    diagnostic.attachNote(kernel.getLoc())
        << "each warpgroup takes " << rows
        << " rows of a product, or a multiple; " << wanted
        << " of them share tiles of " << wanted * rows
        << " rows, or the columns of " << rows
        << ", of which each takes a multiple of "
        << getTarget(kernel).wgmmaStepN
        << " (of 16 where operand b lies along them), and `warpgroups = "
        << plan.warpgroups << "` is what these tiles permit";
  }

  /// Multiply-adds of threads cost a factor of ten and more, which the extents
  /// of tiles may not tell.
  static void warnOfMultiplyAdds(tile::GemmOp gemm,
                                 const ProductPlan &product) {
    const GpuTarget &target = getTarget(gemm);
    auto type = cast<RankedTensorType>(product.a.tile.getType());
    int64_t bits = type.getElementTypeBitWidth();
    if (product.onTensorCores || bits > 16)
      return;
    InFlightDiagnostic diagnostic = gemm.emitWarning();
    diagnostic << "this product of " << product.m << "x" << product.n << "x"
               << product.k << " runs as multiply-adds, not on tensor cores: "
               << product.reason << " [multiply-adds]";
    diagnostic.attachNote()
        << "tensor cores take a power of two of rows up to "
        << target.wgmmaM / 2 << " or a multiple of " << target.wgmmaM
        << ", any multiple of " << target.wgmmaStepN
        << " beside columns in multiples of " << target.wgmmaM
        << "; columns in multiples of " << target.wgmmaStepN
        << "; terms in multiples of " << 256 / bits
        << "; operands in memory with rows of 32 bytes or a multiple; tiles "
           "may reach past the ends of tensors";
  }

  LogicalResult convert(tile::KernelOp kernel) {
    if (failed(checkTileSizes(kernel)))
      return failure();
    transposeProducts(kernel, remarks);
    KernelPlan plan = KernelPlan::get(kernel);
    if (plan.indivisible)
      warnOfWarpgroups(kernel, plan);
    KernelConversion conversion(kernel, plan, {remarks, rasterGroup});
    if (failed(conversion.run()))
      return failure();
    for (auto &[op, product] : plan.products) {
      warnOfMultiplyAdds(cast<tile::GemmOp>(op), product);
      ++(product.onTensorCores ? numMma : numDot);
    }
    numFetch += plan.fetches.size();
    numConvert += conversion.getNumConverts();
    kernel.erase();
    return success();
  }
};
} // namespace
