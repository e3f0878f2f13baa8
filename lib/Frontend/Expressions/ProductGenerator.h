//===- ProductGenerator.h - The operator `@` --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_PRODUCTGENERATOR_H
#define TESSERA_FRONTEND_PRODUCTGENERATOR_H

#include "Operators.h"
#include "TreeWalk.h"

namespace tessera::frontend {

class ProductGenerator : KernelPart {
public:
  ProductGenerator(KernelContext &context, TreeWalk &walk, EntryValues &values,
                   Conversions &conversions, Operators &operators)
      : KernelPart(context), walk(walk), values(values),
        conversions(conversions), operators(operators) {}

  /// Generates `lhs @ rhs`, added to `accumulator` if there is one.
  Entity genProduct(const BinaryExpr &expr, const Entity *accumulator);

private:
  /// Checks the operands. Returns the type of their product; null after an
  /// error.
  RankedTensorType checkOperands(const BinaryExpr &expr, const Entity &lhs,
                                 const Entity &rhs);

  TreeWalk &walk;
  EntryValues &values;
  Conversions &conversions;
  Operators &operators;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_PRODUCTGENERATOR_H
