//===- ProductRules.h - Products of a machine -------------------*- C++ -*-===//
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

#include "tessera/Conversion/TileToSM/ProductAssignments.h"

namespace tessera::sm {

bool is8Bit(Type element);

/// `tile` in shared memory with the widest swizzle that its rows have.
SmemType getWidest(Value tile, bool transposed);

/// Checks whether all elements are numbers that are known. LLVM makes such
/// numbers in registers where they are used: after the fence of a product that
/// reads them there, and again while one is in flight.
bool isMadeOfConstants(Value tile);

/// Checks whether shared memory can be filled with it directly.
bool isFetchable(tile::LoadOp load);

/// Empty if tensor cores can compute the product from where its operands lie,
/// else why not.
std::string checkTensorCores(const GpuTarget &target,
                             const ProductPlan &product);

/// A product on tensor cores as warpgroups read it that share its rows: all of
/// operand a in shared memory, since none has all that it needs of it in its
/// registers, and b as it lies or in a narrower swizzle, so that each of so
/// many parts of its columns can be read. None if b cannot be read so.
std::optional<ProductPlan> shareColumns(const GpuTarget &target,
                                        ProductPlan product, int64_t parts);

/// Empty if `warpgroups` can share a product on tensor cores, of whole rows of
/// instructions, from where its operands lie, else why not.
std::string checkWarpgroups(const GpuTarget &target, const ProductPlan &product,
                            int64_t warpgroups);

/// Into how many parts `warpgroups` split the columns of a product.
int64_t getColumnParts(const ProductPlan &product, int64_t warpgroups);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTRULES_H
