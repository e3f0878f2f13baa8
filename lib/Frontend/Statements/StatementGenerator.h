//===- StatementGenerator.h - Statements without branches -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_STATEMENTGENERATOR_H
#define TESSERA_FRONTEND_STATEMENTGENERATOR_H

#include "Expressions/AccessGenerator.h"
#include "Expressions/ProductGenerator.h"

namespace tessera::frontend {

class StatementGenerator : KernelPart {
public:
  StatementGenerator(KernelContext &context, TreeWalk &walk,
                     EntryValues &values, Conversions &conversions,
                     Operators &operators, ProductGenerator &products,
                     AccessGenerator &accesses)
      : KernelPart(context), walk(walk), values(values),
        conversions(conversions), operators(operators), products(products),
        accesses(accesses) {}

  void genDeclare(const DeclareStmt &stmt);
  void genAssign(const AssignStmt &stmt);
  void genAssert(const AssertStmt &stmt);
  void genCheck(const CheckStmt &stmt);
  /// Reports a `return` that is not the last statement of a fn.
  void genReturn(const ReturnStmt &stmt);

private:
  /// Converts the first value of a `var` to a run-time value.
  Entity makeVar(const Entity &value, SourcePlace place);
  /// Returns the value of each name that `stmt` declares; errors after an
  /// error.
  SmallVector<Entity> genDeclaredValues(const DeclareStmt &stmt);
  void genAssignVar(const AssignStmt &stmt, const NameExpr &target);
  void genStore(const AssignStmt &stmt, const IndexExpr &target);

  TreeWalk &walk;
  EntryValues &values;
  Conversions &conversions;
  Operators &operators;
  ProductGenerator &products;
  AccessGenerator &accesses;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_STATEMENTGENERATOR_H
