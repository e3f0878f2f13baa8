//===- ProductRules.cpp - Products of a machine -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductRules.h"

#include "tessera/Dialect/SM/IR/MatrixDescriptors.h"
#include "tessera/Layout/RegisterTile.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool sm::isFetchable(tile::LoadOp load) {
  if (load.getFillAttr() && !isPositiveZero(load.getFillAttr()))
    return false;
  return llvm::none_of(load.getIndices(), [](Value index) {
    return isa<RankedTensorType>(index.getType());
  });
}

bool sm::is8Bit(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(element) || element.isInteger(8);
}

bool sm::isReadAlongK(const ProductPlan &product) {
  return product.isTF32 || is8Bit(product.a.getElementType());
}

SmemType sm::getWidest(Value tile, bool transposed) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (transposed)
    type = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                                 type.getElementType());
  return SmemType::getWidest(type);
}

bool sm::isMadeOfConstants(Value tile) {
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

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// Returns why wgmma cannot read the operand from `shared`; empty if it can.
static std::string checkShared(SmemType shared, bool isA, bool transposed,
                               int64_t block) {
  llvm::Expected<layout::MatrixDescriptor> descriptor =
      getMatrixDescriptor(shared, /*kDim=*/isA != transposed, block);
  if (descriptor)
    return "";
  return llvm::formatv("operand {0}: {1}", isA ? "a" : "b",
                       llvm::toString(descriptor.takeError()));
}

std::string sm::checkTensorCores(const GpuTarget &target,
                                 const ProductPlan &product) {
  Type a = product.a.getElementType(), b = product.b.getElementType();
  // The verifier requires that both are floats or both are i8.
  bool are8Bit = is8Bit(a) && is8Bit(b);
  bool are16Bit = a == b && isa<Float16Type, BFloat16Type>(a);
  if (!are8Bit && !are16Bit && !product.isTF32)
    return llvm::formatv("operands are of {0} and {1}", a, b);
  bool isRepeated = product.m < target.wgmmaM;
  if (isRepeated ? target.wgmmaM % product.m != 0
                 : product.m % target.wgmmaM != 0)
    return llvm::formatv("{0} rows are neither 1, 2, 4, … {1} nor a multiple "
                         "of {2}",
                         product.m, target.wgmmaM / 2, target.wgmmaM);
  if ((isRepeated || !product.a.shared) && isMadeOfConstants(product.a.tile))
    return isRepeated ? "operand a, whose rows repeat in registers, is made of "
                        "constants"
                      : "operand a, which is made of constants, comes from "
                        "shared memory";
  if (isRepeated && product.a.shared)
    return "operand a, whose rows repeat, comes from registers";
  int64_t columns =
      getInstructionColumns(target, product.b.shared, product.b.transposed);
  if (columns == 0)
    return llvm::formatv("{0} columns are no multiple of {1}", product.n,
                         target.wgmmaStepN);
  int64_t step = 32 / getElementBytes(a);
  if (product.k % step != 0)
    return llvm::formatv("{0} terms are no multiple of {1}", product.k, step);
  if (product.a.shared) {
    std::string reason = checkShared(product.a.shared, /*isA=*/true,
                                     product.a.transposed, target.wgmmaM);
    if (!reason.empty())
      return reason;
  }
  return checkShared(product.b.shared, /*isA=*/false, product.b.transposed,
                     columns);
}

//===----------------------------------------------------------------------===//
// Warpgroups
//===----------------------------------------------------------------------===//

int64_t sm::getColumnParts(const ProductPlan &product, int64_t warpgroups) {
  return product.onTensorCores
             ? layout::getProductSplit(product.m, warpgroups).columns
             : 1;
}

std::optional<ProductPlan>
sm::shareColumns(const GpuTarget &target, ProductPlan product, int64_t parts) {
  OperandPlan &a = product.a;
  if (!a.shared) {
    a.copied = a.transposed;
    a.shared = getWidest(a.tile, a.copied);
    a.transposed = false;
  }
  product.b.shared = findReadableInParts(target, product.b.shared,
                                         product.b.transposed, parts);
  if (!product.b.shared)
    return std::nullopt;
  return product;
}

std::string sm::checkWarpgroups(const GpuTarget &target,
                                const ProductPlan &product,
                                int64_t warpgroups) {
  if (product.m % (target.wgmmaM * warpgroups) == 0)
    return "";
  int64_t parts = getColumnParts(product, warpgroups);
  if (parts == 1)
    return llvm::formatv("it has {0} rows", product.m);
  if (!product.a.shared)
    return llvm::formatv("it has {0} rows, and columns are shared where "
                         "operand a lies in shared memory",
                         product.m);
  std::string reason = checkShared(product.a.shared, /*isA=*/true,
                                   product.a.transposed, target.wgmmaM);
  if (!reason.empty())
    return reason;
  if (findReadableInParts(target, product.b.shared, product.b.transposed,
                          parts) == product.b.shared)
    return "";
  return llvm::formatv("each of {0} parts of the columns takes whole rows of "
                       "the swizzle of operand b",
                       parts);
}
