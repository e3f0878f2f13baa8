//===- SplitProduct.h - A product as its issue and await --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_SPLITPRODUCT_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_SPLITPRODUCT_H

#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// Parts a product into its issue and its await, which is returned.
MmaAwaitOp splitProduct(MmaOp product);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_SCHEDULE_SPLITPRODUCT_H
