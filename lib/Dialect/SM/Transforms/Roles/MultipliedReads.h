//===- MultipliedReads.h - Products of what is read from slots --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has values in registers at the latest when it has issued a product
// that takes a left operand computed from all of them. Vectors and tiles are
// read from slots for such products.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_MULTIPLIEDREADS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_MULTIPLIEDREADS_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Returns the products, or their issues, in the block of `values` that take
/// from registers a left operand computed, element by element, from all of
/// `values`.
SmallVector<Operation *> findProductsOf(Value values);

/// Returns the first product, or its issue, in the block of `read` that takes
/// from registers a tile computed, element by element, from all that `read`
/// reads. A thread that has issued the product has these values in registers,
/// so the slot can be released after it. Returns null if there is none. Also
/// returns null in blocks where warps write no tiles for each other: there the
/// slot is released earlier, while products run, which take longer than loads.
Operation *findReleasing(SmemLoadOp read);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_ROLES_MULTIPLIEDREADS_H
