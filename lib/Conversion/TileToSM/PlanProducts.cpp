//===- PlanProducts.cpp - Plans of products ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-plan-products: writes the decisions of ProductPlanner as
// attributes, which a user may edit, and reports them.
//
//===----------------------------------------------------------------------===//

#include "ProductPlanner.h"
#include "ProductRules.h"
#include "TransposedProducts.h"

#include "tessera/Conversion/TileToSM/Passes.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PLANPRODUCTSPASS
#include "tessera/Conversion/TileToSM/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;
using layout::Swizzle;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static PlannedOperandAttr getAttr(const OperandPlan &operand) {
  MLIRContext *context = operand.tile.getContext();
  if (!operand.shared)
    return PlannedOperandAttr::get(context, OperandPlace::Registers,
                                   Swizzle::None);
  return PlannedOperandAttr::get(
      context, operand.copied ? OperandPlace::Transposed : OperandPlace::Shared,
      operand.shared.getSwizzle());
}

static void writePlan(tile::KernelOp kernel,
                      const ProductAssignments &assigned) {
  Builder builder(kernel.getContext());
  for (const auto &[op, product] : assigned.products)
    op->setAttr(
        kProductAttrName,
        PlannedProductAttr::get(op->getContext(),
                                product.onTensorCores ? ProductUnit::TensorCores
                                                      : ProductUnit::Threads,
                                getAttr(product.a), getAttr(product.b)));
  if (assigned.hasWarpgroups(getTarget(kernel)))
    kernel->setAttr(kWarpgroupsAttrName,
                    builder.getI64IntegerAttr(assigned.warpgroups));
  else
    kernel->setAttr(kWarpsAttrName, builder.getI64IntegerAttr(assigned.warps));
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Fails if a product is on tensor cores and the schedule asks for warps that
/// are not one to three warpgroups.
static LogicalResult checkWarps(tile::KernelOp kernel,
                                const ProductAssignments &assigned) {
  const GpuTarget &target = getTarget(kernel);
  if (assigned.hasWarpgroups(target))
    return success();
  for (const auto &[op, product] : assigned.products) {
    if (!product.onTensorCores)
      continue;
    InFlightDiagnostic diagnostic = op->emitError();
    diagnostic << "this product of " << product.m << "x" << product.n << "x"
               << product.k << " runs on tensor cores, which take warpgroups "
               << "of " << target.warpsPerWarpgroup
               << " warps; expected `warps` of 4, 8 or 12, got "
               << assigned.warps;
    diagnostic.attachNote(kernel.getLoc())
        << "`schedule (warpgroups = 1)` is `warps = 4`; other numbers of "
           "`warps` are for kernels without products on tensor cores";
    return diagnostic;
  }
  return success();
}

/// Warns at the product that so many warpgroups cannot share.
static void warnOfWarpgroups(tile::KernelOp kernel,
                             const ProductAssignments &assigned,
                             Operation *indivisible) {
  const GpuTarget &target = getTarget(kernel);
  const ProductPlan &product = assigned.products.find(indivisible)->second;
  int64_t wanted = kernel.getScheduleAttr().getWarpgroups();
  InFlightDiagnostic diagnostic = indivisible->emitWarning();
  diagnostic << "`warpgroups = " << wanted << "` is not done, "
             << (assigned.warpgroups == 1
                     ? "one warpgroup computes"
                     : Twine(assigned.warpgroups) + " warpgroups compute")
             << ": this product has " << product.m << " rows"
             << " [fewer-warpgroups]";
  diagnostic.attachNote(kernel.getLoc())
      << "each warpgroup computes a multiple of " << target.wgmmaM
      << " rows of a product; " << wanted << " warpgroups share tiles of "
      << wanted * target.wgmmaM << " rows, or the columns of " << target.wgmmaM
      << " rows, each a multiple of " << target.wgmmaStepN
      << " (of 16 if operand b is contiguous along columns); these tiles "
         "permit `warpgroups = "
      << assigned.warpgroups << "`";
}

/// Warns of multiply-adds of threads. They cost a factor of ten and more, which
/// the extents of tiles may not show.
static void warnOfMultiplyAdds(Operation *gemm, const ProductPlan &product,
                               StringRef reason) {
  const GpuTarget &target = getTarget(gemm);
  int64_t bits = product.a.getElementType().getIntOrFloatBitWidth();
  InFlightDiagnostic diagnostic = gemm->emitWarning();
  diagnostic << "this product of " << product.m << "x" << product.n << "x"
             << product.k
             << " runs as multiply-adds, not on tensor cores: " << reason
             << " [multiply-adds]";
  diagnostic.attachNote()
      << "tensor cores take a power of two of rows up to " << target.wgmmaM / 2
      << " or a multiple of " << target.wgmmaM << ", or a multiple of "
      << target.wgmmaStepN << " if columns are a multiple of " << target.wgmmaM
      << "; columns in multiples of " << target.wgmmaStepN
      << "; terms in multiples of " << 256 / bits
      << "; operands in memory with rows of a multiple of 32 bytes; tiles "
         "may extend past the ends of tensors";
}

/// Warns of a product of f32 that tensor cores could compute in TF32.
static void warnOfWideOperands(Operation *gemm, const ProductPlan &product) {
  InFlightDiagnostic diagnostic = gemm->emitWarning();
  diagnostic << "this product of f32, " << product.m << "x" << product.n << "x"
             << product.k
             << ", runs as multiply-adds, not on tensor cores [f32-product]";
  diagnostic.attachNote()
      << "tensor cores multiply operands `as tf32`, which keep 10 bits after "
         "the point, or `as bf16`, which keep 7; both convert each operand of "
         "the product";
}

/// Describes the unit that computes a product, and where its operands come
/// from.
static std::string describeUnit(const ProductPlan &product,
                                const ProductAssignments &assigned,
                                const GpuTarget &target) {
  std::string text = llvm::formatv("in {0} warpgroup{1}", assigned.warpgroups,
                                   assigned.warpgroups == 1 ? "" : "s");
  if (getColumnParts(product, assigned.warpgroups) > 1)
    text += ", which share its columns";
  text += ", with operand a in ";
  text += product.a.shared ? "shared memory" : "registers";
  if (product.isRepeated(target))
    text += ", where its rows repeat";
  if (product.a.copied)
    text += ", as a copy that threads transpose";
  if (product.b.copied)
    text += llvm::formatv(
        ", and a copy of operand b that threads transpose; tensor cores read "
        "operands of {0} bits along K, as `b[n, k].T` lies",
        product.b.getElementType().getIntOrFloatBitWidth());
  return text;
}

static void remarkProduct(Operation *gemm, const ProductPlan &product,
                          const ProductPlanner &planner) {
  InFlightDiagnostic remark = gemm->emitRemark();
  remark << "the product of " << product.m << "x" << product.n << "x"
         << product.k;
  if (product.onTensorCores)
    remark << " runs on tensor cores, "
           << describeUnit(product, planner.assigned, getTarget(gemm))
           << " [on-tensor-cores]";
  else
    remark << " runs as multiply-adds: " << planner.reasons.find(gemm)->second
           << " [multiply-adds]";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult sm::planProducts(tile::KernelOp kernel, bool remarks) {
  transposeProducts(kernel, remarks);
  ProductPlanner planner(kernel);
  if (failed(checkWarps(kernel, planner.assigned)))
    return failure();
  if (planner.indivisible)
    warnOfWarpgroups(kernel, planner.assigned, planner.indivisible);
  for (const auto &[op, product] : planner.assigned.products) {
    if (planner.possibleAsTF32.contains(op))
      warnOfWideOperands(op, product);
    else if (!product.onTensorCores && (planner.truncated.contains(op) ||
                                        !product.a.getElementType().isF32()))
      warnOfMultiplyAdds(op, product, planner.reasons.find(op)->second);
    if (remarks)
      remarkProduct(op, product, planner);
  }
  writePlan(kernel, planner.assigned);
  return success();
}

namespace {
struct PlanProducts : sm::impl::PlanProductsPassBase<PlanProducts> {
  using PlanProductsPassBase::PlanProductsPassBase;

  void runOnOperation() override {
    tile::KernelOp kernel = getOperation();
    if (hasProductPlan(kernel))
      return;
    if (failed(planProducts(kernel, remarks)))
      return signalPassFailure();
    ++numPlanned;
  }
};
} // namespace
