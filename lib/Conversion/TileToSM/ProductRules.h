//===- ProductRules.h - Products of a machine -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules for plans of products. Plans that a user has edited must satisfy
// them as well.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTRULES_H
#define TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTRULES_H

#include "tessera/Conversion/TileToSM/ProductAssignments.h"

namespace tessera::sm {

bool is8Bit(Type element);

/// Checks whether wgmma reads operands of this type in shared memory along K
/// only.
bool isReadAlongK(const ProductPlan &product);

/// Returns `tile` in shared memory with the widest swizzle that its rows
/// permit.
SmemType getWidest(Value tile, bool transposed);

/// Checks whether all elements are known numbers. LLVM materialises such
/// numbers in registers at their use. That is after the fence of a product that
/// reads them from registers, and again while the product is in flight.
bool isMadeOfConstants(Value tile);

/// Checks whether `load` can be copied directly to shared memory.
bool isFetchable(tile::LoadOp load);

/// Returns why tensor cores cannot compute the product from the places of its
/// operands; empty if they can.
std::string checkTensorCores(const GpuTarget &target,
                             const ProductPlan &product);

/// Returns the plan of a product on tensor cores whose rows warpgroups share.
/// Operand a is in shared memory, since no warpgroup has all of its part in
/// registers. Operand b keeps its swizzle or gets a narrower one, so that each
/// of `parts` parts of its columns can be read. Returns nothing if b cannot be
/// read in this way.
std::optional<ProductPlan> shareColumns(const GpuTarget &target,
                                        ProductPlan product, int64_t parts);

/// Returns why `warpgroups` cannot share a product on tensor cores with whole
/// rows of instructions, from the places of its operands; empty if they can.
std::string checkWarpgroups(const GpuTarget &target, const ProductPlan &product,
                            int64_t warpgroups);

/// Returns the number of parts into which `warpgroups` split the columns of a
/// product.
int64_t getColumnParts(const ProductPlan &product, int64_t warpgroups);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_PRODUCTRULES_H
