//===- ProductAssignments.cpp - Units of products ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the plan of products. A user may have edited its text, so each part is
// checked against the rules of the machine. Invariant: a plan that is returned
// can be carried out.
//
//===----------------------------------------------------------------------===//

#include "tessera/Conversion/TileToSM/ProductAssignments.h"

#include "ProductRules.h"

#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sm;

static OperandPlan getOperand(Value value, bool transposed) {
  while (auto transpose = value.getDefiningOp<tile::TransposeOp>()) {
    value = transpose.getSource();
    transposed = !transposed;
  }
  return {value, transposed, getWidest(value, /*transposed=*/false)};
}

ProductPlan ProductPlan::get(tile::GemmOp gemm) {
  auto type = cast<RankedTensorType>(gemm.getType());
  auto a = cast<RankedTensorType>(gemm.getA().getType());
  ProductPlan product;
  product.isTF32 = gemm.getTf32();
  product.m = type.getDimSize(0);
  product.n = type.getDimSize(1);
  product.k = a.getDimSize(!gemm.getTransposeA());
  product.a = getOperand(gemm.getA(), gemm.getTransposeA());
  product.b = getOperand(gemm.getB(), gemm.getTransposeB());
  return product;
}

bool ProductAssignments::hasWholeProduct(const GpuTarget &target) const {
  return llvm::any_of(products, [&](const auto &entry) {
    return entry.second.onTensorCores && !entry.second.isRepeated(target);
  });
}

bool sm::hasProductPlan(tile::KernelOp kernel) {
  return kernel->hasAttr(kWarpgroupsAttrName) ||
         kernel->hasAttr(kWarpsAttrName);
}

SmallVector<int64_t> sm::getPossibleWarps(tile::KernelOp kernel) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (auto warps = kernel->getAttrOfType<IntegerAttr>(kWarpsAttrName))
    return {warps.getInt()};
  if (!hasProductPlan(kernel) && schedule && schedule.getWarps())
    return {schedule.getWarps()};
  SmallVector<int64_t> all;
  for (int64_t groups = 1; groups <= 3; ++groups)
    all.push_back(groups * getTarget(kernel).warpsPerWarpgroup);
  return all;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads the plan of `operand`, which is in shared memory at `place`.
static LogicalResult readOperand(tile::GemmOp gemm, StringRef name,
                                 PlannedOperandAttr place,
                                 OperandPlan &operand) {
  if (place.isInRegisters()) {
    operand.shared = {};
    return success();
  }
  operand.copied = place.getPlace() == OperandPlace::Transposed;
  operand.transposed ^= operand.copied;
  SmemType widest = getWidest(operand.tile, operand.copied);
  if (place.getSwizzle() > widest.getSwizzle())
    return gemm.emitOpError()
           << "cannot have operand " << name << " in shared memory with a "
           << "swizzle of " << static_cast<int64_t>(place.getSwizzle())
           << " bytes; the widest for rows of " << widest.getShape().back()
           << " elements has " << static_cast<int64_t>(widest.getSwizzle());
  operand.shared = SmemType::get(widest.getContext(), widest.getShape(),
                                 widest.getElementType(), place.getSwizzle());
  return success();
}

/// Checks that a product that is planned for tensor cores can be there.
static LogicalResult checkUnit(tile::GemmOp gemm, const ProductPlan &product,
                               const ProductAssignments &assigned) {
  const GpuTarget &target = getTarget(gemm);
  if (!assigned.hasWarpgroups(target))
    return gemm.emitOpError()
           << "cannot be done on tensor cores as its plan says: a warpgroup "
           << "has " << target.warpsPerWarpgroup << " warps, but the plan has '"
           << kWarpsAttrName << "' = " << assigned.warps;
  std::string reason = checkTensorCores(target, product);
  if (!reason.empty())
    return gemm.emitOpError()
           << "cannot be done on tensor cores as its plan says: " << reason;
  if (product.isRepeated(target)) {
    if (assigned.warpgroups == 1 || assigned.hasWholeProduct(target))
      return success();
    return gemm.emitOpError()
           << "has " << product.m << " rows, which are work for one warpgroup, "
           << "but the plan has " << assigned.warpgroups;
  }
  reason = checkWarpgroups(target, product, assigned.warpgroups);
  if (reason.empty())
    return success();
  return gemm.emitOpError() << "cannot be shared by the " << assigned.warpgroups
                            << " warpgroups of the plan: " << reason;
}

namespace {
/// The types of tiles in shared memory. All readers of a tile share one place.
struct Places {
  llvm::DenseMap<Value, SmemType> asWritten, transposed;
};
} // namespace

static LogicalResult addPlace(Places &places, tile::GemmOp gemm,
                              const OperandPlan &operand) {
  if (!operand.shared)
    return success();
  auto &tiles = operand.copied ? places.transposed : places.asWritten;
  SmemType known =
      tiles.try_emplace(operand.tile, operand.shared).first->second;
  if (known == operand.shared)
    return success();
  return gemm.emitOpError() << "reads a tile with a swizzle of "
                            << static_cast<int64_t>(operand.shared.getSwizzle())
                            << " bytes that another product reads with one of "
                            << static_cast<int64_t>(known.getSwizzle());
}

FailureOr<ProductAssignments> ProductAssignments::read(tile::KernelOp kernel) {
  const GpuTarget &target = getTarget(kernel);
  ProductAssignments assigned;
  if (auto warps = kernel->getAttrOfType<IntegerAttr>(kWarpsAttrName)) {
    assigned.warps = warps.getInt();
  } else {
    assigned.warpgroups =
        kernel->getAttrOfType<IntegerAttr>(kWarpgroupsAttrName).getInt();
    assigned.warps = assigned.warpgroups * target.warpsPerWarpgroup;
  }
  WalkResult result = kernel.walk([&](tile::GemmOp gemm) {
    auto attr = gemm->getAttrOfType<PlannedProductAttr>(kProductAttrName);
    ProductPlan product = ProductPlan::get(gemm);
    product.onTensorCores = attr.isOnTensorCores();
    if (failed(readOperand(gemm, "a", attr.getA(), product.a)) ||
        failed(readOperand(gemm, "b", attr.getB(), product.b)))
      return WalkResult::interrupt();
    assigned.repeatsRows |= product.isRepeated(target);
    assigned.splitsColumns |= getColumnParts(product, assigned.warpgroups) > 1;
    assigned.products.insert({gemm, std::move(product)});
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  Places places;
  for (const auto &[op, product] : assigned.products) {
    auto gemm = cast<tile::GemmOp>(op);
    if (product.onTensorCores && failed(checkUnit(gemm, product, assigned)))
      return failure();
    if (!product.onTensorCores && product.isTF32)
      return gemm.emitOpError()
             << "of tf32 cannot be done by threads, which multiply all bits of "
                "f32; truncate its operands and remove `tf32`";
    if (failed(addPlace(places, gemm, product.a)) ||
        failed(addPlace(places, gemm, product.b)))
      return failure();
  }
  for (const auto &[op, product] : assigned.products)
    for (Value tile : {product.a.tile, product.b.tile}) {
      auto load = tile.getDefiningOp<tile::LoadOp>();
      if (!load || !isFetchable(load))
        continue;
      // Threads read a tile from shared memory if no product reads it
      // untransposed.
      SmemType shared = places.asWritten.lookup(tile);
      assigned.fetches.insert(
          {load, shared ? shared : getWidest(tile, /*transposed=*/false)});
    }
  return assigned;
}
