//===- ProductLoops.h - Loops whose products may stay in flight -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewritings of one loop each. A loop that is not of the kind is left alone,
// and the reason is said.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PRODUCTLOOPS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PRODUCTLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tessera/Dialect/SM/IR/SM.h"

namespace tessera::sm {

/// A loop that only accumulates: the products of an iteration stay in flight
/// until those of the next one are issued, and so do their slots.
LogicalResult overlapAccumulation(scf::ForOp loop, std::string &why);

/// Whether `loop` holds two products of which the second depends on the first.
bool hasDependentProducts(scf::ForOp loop);

/// Such a loop: the second product of an iteration is issued after the first
/// one of the next iteration. With `takesTurns`, warpgroups issue both in turn.
LogicalResult pipelineDependentProducts(scf::ForOp loop, bool takesTurns,
                                        std::string &why);

/// Issues `product` with these operands.
Value issueProduct(OpBuilder &builder, MmaOp product, Value a, Value b,
                   Value accumulator);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PRODUCTLOOPS_H
