//===- KernelPlan.cpp - Which unit computes a product -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Conversion/TileToSM/KernelPlan.h"

#include "tessera/Dialect/SM/IR/MatrixDescriptors.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/RegisterTile.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::sm;

/// Whether shared memory can be filled with it directly.
static bool isFetchable(tile::LoadOp load) {
  if (load.getFillAttr() && !isPositiveZero(load.getFillAttr()))
    return false;
  return llvm::none_of(load.getIndices(), [](Value index) {
    return isa<RankedTensorType>(index.getType());
  });
}

static OperandPlan getOperand(Value value, bool transposed) {
  while (auto transpose = value.getDefiningOp<tile::TransposeOp>()) {
    value = transpose.getSource();
    transposed = !transposed;
  }
  return {value, transposed, {}};
}

static bool is8Bit(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type) || type.isInteger(8);
}

static Type getElement(const OperandPlan &operand) {
  return cast<RankedTensorType>(operand.tile.getType()).getElementType();
}

/// Empty if wgmma can read the operand from `shared`.
static std::string checkShared(SmemType shared, bool isA, bool transposed,
                               int64_t block) {
  llvm::Expected<layout::MatrixDescriptor> descriptor =
      getMatrixDescriptor(shared, /*kDim=*/isA != transposed, block);
  if (descriptor)
    return "";
  return llvm::formatv("operand {0}: {1}", isA ? "a" : "b",
                       llvm::toString(descriptor.takeError()));
}

/// Empty if tensor cores can compute the product, else why not.
static std::string checkMma(tile::GemmOp gemm, const ProductPlan &product,
                            bool fromRegisters) {
  const GpuTarget &target = getTarget(gemm);
  Type a = getElement(product.a), b = getElement(product.b);
  // The verifier has seen to it that both are floats or both of i8.
  bool are8Bit = is8Bit(a) && is8Bit(b);
  if (!are8Bit && !(a == b && isa<Float16Type, BFloat16Type>(a)))
    return llvm::formatv("operands are of {0} and {1}", a, b);
  bool isRepeated = product.m < target.wgmmaM;
  if (isRepeated ? target.wgmmaM % product.m != 0
                 : product.m % target.wgmmaM != 0)
    return llvm::formatv("{0} rows are neither 1, 2, 4, … {1} nor a multiple "
                         "of {2}",
                         product.m, target.wgmmaM / 2, target.wgmmaM);
  if (isRepeated && !fromRegisters)
    return "operand a, whose rows repeat in registers, is made of constants";
  int64_t columns =
      getInstructionColumns(target, product.b.shared, product.b.transposed);
  if (columns == 0)
    return llvm::formatv("{0} columns are no multiple of {1}", product.n,
                         target.wgmmaStepN);
  int64_t step = are8Bit ? 32 : 16;
  if (product.k % step != 0)
    return llvm::formatv("{0} terms are no multiple of {1}", product.k, step);
  if (!fromRegisters) {
    std::string reason = checkShared(product.a.shared, /*isA=*/true,
                                     product.a.transposed, target.wgmmaM);
    if (!reason.empty())
      return reason;
  }
  return checkShared(product.b.shared, /*isA=*/false, product.b.transposed,
                     columns);
}

/// Whether all elements are numbers that are known. LLVM makes such numbers in
/// registers where they are used: after the fence of a product that reads them
/// there, and again while one is in flight.
static bool isMadeOfConstants(Value tile) {
  SmallVector<Value> rest = {tile};
  llvm::SmallPtrSet<Value, 8> known;
  while (!rest.empty()) {
    Value value = rest.pop_back_val();
    if (!known.insert(value).second || matchPattern(value, m_Constant()))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumOperands() == 0 || op->getNumRegions() != 0 ||
        !isMemoryEffectFree(op))
      return false;
    llvm::append_range(rest, op->getOperands());
  }
  return true;
}

static SmemType getWidest(Value tile, bool transposed) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (transposed)
    type = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                                 type.getElementType());
  return SmemType::getWidest(type);
}

/// Puts the product on tensor cores, or says why not.
static void planUnit(tile::GemmOp gemm, ProductPlan &product) {
  OperandPlan a = product.a, b = product.b;
  // Of 8-bit operands that do not lie along K, threads make copies that do: of
  // a in registers, of b in shared memory.
  bool isTurned = is8Bit(getElement(a)) && product.a.transposed;
  if (is8Bit(getElement(b)) && !product.b.transposed) {
    product.b.copied = product.b.transposed = true;
    product.b.shared = getWidest(product.b.tile, /*transposed=*/true);
  }
  bool isRepeated = product.m < getTarget(gemm).wgmmaM;
  bool isComputed =
      !product.a.transposed && !product.a.tile.getDefiningOp<tile::LoadOp>();
  bool fromRegisters = (isTurned || isRepeated || isComputed) &&
                       !isMadeOfConstants(product.a.tile);
  product.reason = checkMma(gemm, product, fromRegisters);
  product.onTensorCores = product.reason.empty();
  if (!product.onTensorCores) {
    product.a = a;
    product.b = b;
  } else if (fromRegisters) {
    product.a.shared = {};
  }
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

/// Operand a as warpgroups read it that share its rows: none has all that it
/// needs of them in its registers.
static OperandPlan getSharedA(const ProductPlan &product) {
  OperandPlan a = product.a;
  if (a.shared)
    return a;
  a.copied = a.transposed;
  a.shared = getWidest(a.tile, a.copied);
  a.transposed = false;
  return a;
}

/// Whether `warpgroups` can share the product by its rows, or else by its
/// columns.
static bool isDivisible(const GpuTarget &target, const ProductPlan &product,
                        int64_t warpgroups) {
  if (product.m % (target.wgmmaM * warpgroups) == 0)
    return true;
  int64_t parts = layout::getProductSplit(product.m, warpgroups).columns;
  if (parts == 1)
    return false;
  OperandPlan a = getSharedA(product);
  return findReadableInParts(target, product.b.shared, product.b.transposed,
                             parts) &&
         checkShared(a.shared, /*isA=*/true, a.transposed, target.wgmmaM)
             .empty();
}

/// Lets `tile` lie in shared memory as `shared`, a narrower swizzle, for all
/// who read it, since it lies there once. They can: the rows that were whole
/// are.
static void narrow(KernelPlan &plan, Value tile, SmemType shared) {
  for (auto &[op, product] : plan.products)
    for (OperandPlan *operand : {&product.a, &product.b})
      if (operand->tile == tile && operand->shared && !operand->copied)
        operand->shared = shared;
  if (auto *fetch = plan.fetches.find(tile.getDefiningOp());
      fetch != plan.fetches.end())
    fetch->second = shared;
}

/// Decides how many warpgroups there are, and what follows for the products.
static void planWarpgroups(KernelPlan &plan, const GpuTarget &target,
                           tile::ScheduleAttr schedule) {
  // The first product that so many cannot share, or null. One whose rows repeat
  // has work for one of them, but does no harm where others have more.
  bool hasWhole = llvm::any_of(plan.products, [&](const auto &entry) {
    return entry.second.onTensorCores && !entry.second.isRepeated(target);
  });
  auto findIndivisible = [&](int64_t warpgroups) -> Operation * {
    for (const auto &[op, product] : plan.products) {
      if (!product.onTensorCores)
        continue;
      if (product.isRepeated(target)
              ? !hasWhole && warpgroups > 1
              : !isDivisible(target, product, warpgroups))
        return op;
    }
    return nullptr;
  };
  bool isLarge = llvm::any_of(plan.products, [&](const auto &entry) {
    const ProductPlan &product = entry.second;
    return product.onTensorCores && product.m >= 2 * target.wgmmaM &&
           !is8Bit(getElement(product.a));
  });
  if (schedule && schedule.getWarpgroups())
    plan.warpgroups = schedule.getWarpgroups();
  else if (isLarge)
    plan.warpgroups = 2;
  Operation *indivisible = findIndivisible(plan.warpgroups);
  // 192 rows are too many for one.
  if (plan.warpgroups == 2 && indivisible &&
      plan.products.find(indivisible)->second.m > target.wgmmaM &&
      !findIndivisible(3))
    plan.warpgroups = 3;
  while (findIndivisible(plan.warpgroups))
    --plan.warpgroups;
  if (schedule && plan.warpgroups < schedule.getWarpgroups())
    plan.indivisible = indivisible;
  plan.warps = plan.warpgroups * target.warpsPerWarpgroup;
  auto getParts = [&](const ProductPlan &product) -> int64_t {
    return product.onTensorCores
               ? layout::getProductSplit(product.m, plan.warpgroups).columns
               : 1;
  };
  for (auto &[op, product] : plan.products)
    if (getParts(product) > 1) {
      product.a = getSharedA(product);
      plan.splitsColumns = true;
    }
  for (auto &[op, product] : plan.products)
    if (int64_t parts = getParts(product); parts > 1) {
      SmemType b = findReadableInParts(target, product.b.shared,
                                       product.b.transposed, parts);
      if (b != product.b.shared)
        narrow(plan, product.b.tile, b);
    }
}

KernelPlan KernelPlan::get(tile::KernelOp kernel) {
  const GpuTarget &target = getTarget(kernel);
  KernelPlan plan;
  kernel.walk([&](tile::GemmOp gemm) {
    ProductPlan product;
    auto type = cast<RankedTensorType>(gemm.getType());
    auto a = cast<RankedTensorType>(gemm.getA().getType());
    product.m = type.getDimSize(0);
    product.n = type.getDimSize(1);
    product.k = a.getDimSize(!gemm.getTransposeA());
    product.a = getOperand(gemm.getA(), gemm.getTransposeA());
    product.b = getOperand(gemm.getB(), gemm.getTransposeB());
    for (OperandPlan *operand : {&product.a, &product.b})
      operand->shared = getWidest(operand->tile, /*transposed=*/false);
    planUnit(gemm, product);
    for (const OperandPlan &operand : {product.a, product.b})
      if (auto load = operand.tile.getDefiningOp<tile::LoadOp>();
          load && isFetchable(load))
        plan.fetches.insert(
            {load, getWidest(operand.tile, /*transposed=*/false)});
    plan.repeatsRows |= product.isRepeated(target);
    plan.products.insert({gemm, std::move(product)});
  });
  planWarpgroups(plan, target, kernel.getScheduleAttr());
  return plan;
}
