//===- ProductPlanner.cpp - Choice of unit for a product --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A greedy plan in three steps. Each product goes to tensor cores if the rules
// permit it (ProductRules.h). The number of warpgroups starts from the
// schedule, or from the rows of the products, and decreases until all these
// products can share their work. Finally, operands whose columns are split get
// narrower swizzles.
//
// Invariant: after each step, checkTensorCores holds for each product on tensor
// cores.
//
//===----------------------------------------------------------------------===//

#include "ProductPlanner.h"

#include "ProductRules.h"

#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// Plans the operands of a product on tensor cores. Returns why it cannot be
/// there; empty if it can.
std::string ProductPlanner::planOperands(ProductPlan &product) {
  // Threads copy operands that wgmma reads along K only and that are not
  // contiguous along K: a in registers, b in shared memory.
  bool isTurned = isReadAlongK(product) && product.a.transposed;
  if (isReadAlongK(product) && !product.b.transposed) {
    product.b.copied = product.b.transposed = true;
    product.b.shared = getWidest(product.b.tile, /*transposed=*/true);
  }
  bool isRepeated = product.m < target.wgmmaM;
  bool isComputed =
      !product.a.transposed && !product.a.tile.getDefiningOp<tile::LoadOp>();
  if ((isTurned || isRepeated || isComputed) &&
      !isMadeOfConstants(product.a.tile))
    product.a.shared = {};
  return checkTensorCores(target, product);
}

/// Removes the bits that TF32 lacks from a tile of f32.
static Value truncateToTF32(OpBuilder &builder, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto integers = type.clone(builder.getI32Type());
  Value bits = arith::BitcastOp::create(builder, loc, integers, tile);
  Value mask = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(integers, builder.getI32IntegerAttr(-0x2000)));
  Value kept = arith::AndIOp::create(builder, loc, bits, mask);
  return arith::BitcastOp::create(builder, loc, type, kept);
}

/// Plans the product for tensor cores, or records why it cannot be there.
void ProductPlanner::planUnit(tile::GemmOp gemm) {
  ProductPlan product = ProductPlan::get(gemm);
  std::string reason = planOperands(product);
  product.onTensorCores = reason.empty();
  if (!product.onTensorCores) {
    reasons.insert({gemm, std::move(reason)});
    // Threads multiply all bits of f32.
    if (gemm.getTf32()) {
      OpBuilder builder(gemm);
      gemm.getAMutable().assign(
          truncateToTF32(builder, gemm.getLoc(), gemm.getA()));
      gemm.getBMutable().assign(
          truncateToTF32(builder, gemm.getLoc(), gemm.getB()));
      gemm.setTf32(false);
      truncated.insert(gemm);
    } else if (product.a.getElementType().isF32()) {
      ProductPlan asTF32 = ProductPlan::get(gemm);
      asTF32.isTF32 = true;
      if (planOperands(asTF32).empty())
        possibleAsTF32.insert(gemm);
    }
    product = ProductPlan::get(gemm);
  }
  assigned.products.insert({gemm, std::move(product)});
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

/// Checks whether `warpgroups` can share a product on tensor cores by its rows,
/// or else by its columns.
bool ProductPlanner::isDivisible(const ProductPlan &product,
                                 int64_t warpgroups) {
  int64_t parts = getColumnParts(product, warpgroups);
  std::optional<ProductPlan> shared =
      parts == 1 ? product : sm::shareColumns(target, product, parts);
  return shared && checkWarpgroups(target, *shared, warpgroups).empty();
}

Operation *ProductPlanner::findIndivisible(int64_t warpgroups) {
  // A product with repeated rows has work for one warpgroup only, but does not
  // prevent more warpgroups for other products.
  bool hasWhole = assigned.hasWholeProduct(target);
  for (const auto &[op, product] : assigned.products) {
    if (!product.onTensorCores)
      continue;
    if (product.isRepeated(target) ? !hasWhole && warpgroups > 1
                                   : !isDivisible(product, warpgroups))
      return op;
  }
  return nullptr;
}

/// Checks whether steps of a butterfly network exchange the elements of a tile
/// that takes more than half of the registers of one warpgroup. An exchange
/// holds such a tile twice.
static bool hasLargeNetwork(tile::KernelOp kernel, const GpuTarget &target) {
  int64_t threads = target.warpsPerWarpgroup * target.warpSize;
  return kernel
      .walk([&](tile::RearrangeOp op) {
        auto tile = op.getType();
        int64_t words = llvm::divideCeil(tile.getElementTypeBitWidth(), 32);
        bool isLarge = tile.getNumElements() * words / threads >
                       target.registersPerThread / 2 + 1;
        return op.getToggle() != 0 && isLarge ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Decides the number of warpgroups, or of warps.
void ProductPlanner::planWarpgroups(tile::KernelOp kernel) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (schedule && schedule.getWarps()) {
    assigned.warps = schedule.getWarps();
    return;
  }
  bool isLarge = llvm::any_of(assigned.products, [&](const auto &entry) {
    const ProductPlan &product = entry.second;
    return product.onTensorCores && product.m >= 2 * target.wgmmaM &&
           !is8Bit(product.a.getElementType());
  });
  if (schedule && schedule.getWarpgroups())
    assigned.warpgroups = schedule.getWarpgroups();
  else if (isLarge ||
           (assigned.products.empty() && hasLargeNetwork(kernel, target)))
    assigned.warpgroups = 2;
  Operation *first = findIndivisible(assigned.warpgroups);
  // 192 rows need the accumulators of three warpgroups.
  if (assigned.warpgroups == 2 && first &&
      assigned.products.find(first)->second.m > target.wgmmaM &&
      !findIndivisible(3))
    assigned.warpgroups = 3;
  while (findIndivisible(assigned.warpgroups))
    --assigned.warpgroups;
  if (schedule && assigned.warpgroups < schedule.getWarpgroups())
    indivisible = first;
  assigned.warps = assigned.warpgroups * target.warpsPerWarpgroup;
}

/// Narrows the swizzles of operands whose columns are split. A tile has one
/// place in shared memory, so its swizzle is narrower for all its readers. All
/// readers accept the narrower swizzle: rows that were whole stay whole.
void ProductPlanner::shareColumns() {
  SmallVector<OperandPlan> parts;
  for (auto &[op, product] : assigned.products)
    if (int64_t count = getColumnParts(product, assigned.warpgroups);
        count > 1) {
      // Cannot fail: otherwise there would be fewer warpgroups.
      product = *sm::shareColumns(target, product, count);
      parts.push_back(product.b);
    }
  for (const OperandPlan &part : parts)
    for (auto &[op, product] : assigned.products)
      for (OperandPlan *operand : {&product.a, &product.b})
        if (operand->tile == part.tile && operand->shared &&
            operand->copied == part.copied &&
            operand->shared.getSwizzle() > part.shared.getSwizzle())
          operand->shared = part.shared;
}

ProductPlanner::ProductPlanner(tile::KernelOp kernel)
    : target(getTarget(kernel)) {
  kernel.walk([&](tile::GemmOp gemm) { planUnit(gemm); });
  planWarpgroups(kernel);
  shareColumns();
}
