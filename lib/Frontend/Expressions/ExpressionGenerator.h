//===- ExpressionGenerator.h - Names, operators and members -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_EXPRESSIONGENERATOR_H
#define TESSERA_FRONTEND_EXPRESSIONGENERATOR_H

#include "ProductGenerator.h"

namespace tessera::frontend {

class ExpressionGenerator : KernelPart {
public:
  ExpressionGenerator(KernelContext &context, TreeWalk &walk,
                      EntryValues &values, Conversions &conversions,
                      Operators &operators, ProductGenerator &products)
      : KernelPart(context), walk(walk), values(values),
        conversions(conversions), operators(operators), products(products) {}

  /// Returns a literal of 2^63 and more as a scalar of u64.
  Entity genUnsigned(const UnsignedExpr &expr);
  Entity genName(const NameExpr &expr);
  Entity genUnary(const UnaryExpr &expr);
  Entity genBinary(const BinaryExpr &expr);
  Entity genCast(const CastExpr &cast);
  Entity genMember(const MemberExpr &expr);

private:
  Entity genLogical(const BinaryExpr &expr);
  Entity genRangeMember(const Entity &range, const MemberExpr &expr);
  Entity genTranspose(const Entity &base, const MemberExpr &expr);

  TreeWalk &walk;
  EntryValues &values;
  Conversions &conversions;
  Operators &operators;
  ProductGenerator &products;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_EXPRESSIONGENERATOR_H
