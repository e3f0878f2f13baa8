//===- ProductRules.h - What products a machine can do ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules under which products are planned, and to which plans that a person
// has edited are held.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTRULES_H
#define TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTRULES_H

#include "tessera/Conversion/TileToSM/KernelPlan.h"

namespace tessera::sm {

bool is8Bit(Type element);

/// `tile` in shared memory with the widest swizzle that its rows have.
SmemType getWidest(Value tile, bool transposed);

/// Whether all elements are numbers that are known. LLVM makes such numbers in
/// registers where they are used: after the fence of a product that reads them
/// there, and again while one is in flight.
bool isMadeOfConstants(Value tile);

/// Whether shared memory can be filled with it directly.
bool isFetchable(tile::LoadOp load);

/// Empty if tensor cores can compute the product from where its operands lie,
/// else why not.
std::string checkTensorCores(const GpuTarget &target,
                             const ProductPlan &product);

/// Operand a as warpgroups read it that share its rows: none has all that it
/// needs of them in its registers.
OperandPlan getSharedA(const ProductPlan &product);

/// Operand b, which lies in shared memory as `product` says or in a narrower
/// swizzle, so that each of so many parts of its columns can be read; null if
/// it cannot.
SmemType findReadableB(const GpuTarget &target, const ProductPlan &product,
                       int64_t parts);

/// Whether `warpgroups` can share a product on tensor cores by its rows, or
/// else by its columns.
bool isDivisible(const GpuTarget &target, const ProductPlan &product,
                 int64_t warpgroups);

/// Into how many parts `warpgroups` split the columns of a product.
int64_t getColumnParts(const ProductPlan &product, int64_t warpgroups);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTRULES_H
